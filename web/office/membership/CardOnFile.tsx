import { useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { monthAndYear } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import type { Office } from '../useOffice.ts'
import { CardForm } from './CardForm.tsx'

/** The card that pays for the membership, and a form to replace it. Emails link to #card, which opens the form. */
export function CardOnFile({ office }: { office: Office }) {
  const { membership } = office.view
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    office.clearSuccess()
    flushSync(() => setOpen(true))
    document.getElementById('cc_number')?.focus()
  }
  const openIfLinked = useEffectEvent(() => {
    if (location.hash === '#card') queueMicrotask(open) // flushSync is not allowed inside an effect
  })
  useEffect(() => {
    openIfLinked()
    addEventListener('hashchange', openIfLinked)
    return () => removeEventListener('hashchange', openIfLinked)
  }, [])
  const close = () => {
    forgetLink()
    flushSync(() => setOpen(false))
    document.getElementById('change-card')?.focus()
  }
  const finish = (view: OfficeView) => {
    forgetLink()
    setOpen(false)
    office.showSuccess({ section: 'membership', view, focus: 'membership', ...savedCard(membership, view.membership) })
  }
  return (
    <div className="card-on-file" id="card">
      <h3>Card on file</h3>
      {isOpen ? (
        <CardForm office={office} onCancel={close} onDone={finish} />
      ) : (
        <p className="card-line">
          <span>{membership.card ? describeCard(membership.card) : 'No card is stored.'}</span>
          <button type="button" className="link" id="change-card" onClick={open}>
            {membership.card ? 'Update' : 'Add'}
            <span className="unseen"> card</span>
          </button>
        </p>
      )}
    </div>
  )
}

/** So that the same link works again, and a reload does not open the form. */
const forgetLink = () => {
  if (location.hash === '#card') history.replaceState(history.state, '', location.pathname)
}

type Membership = OfficeView['membership']

const describeCard = ({ brand, last_four, expires }: NonNullable<Membership['card']>) =>
  `${brand} ending in ${last_four}, expires ${monthAndYear(expires)}`

/** What to say once the card is on file, and charged if something was due. */
function savedCard(before: Membership, after: Membership): { message: string; isProblem?: boolean } {
  const due = before.card_charge
  if (!due) return { message: 'Your new card is on file.' }
  const problem = after.payment_problem
  if (!problem) return { message: 'Your new card is on file, and your membership is paid. Thank you.' }
  if (problem.is_checking)
    return {
      message: `Your new card is on file. Your bank hasn’t confirmed the ${showAmount(due)} charge yet. We’ll keep checking.`,
    }
  const message = `Your new card is on file, but your bank declined ${showAmount(due)}. Nothing was charged. Please try a different card.`
  return { message, isProblem: true }
}
