import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { PackagePage, PriceGroup } from '#contract/console/packages.ts'
import { plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { addDays, MIN_NOTICE_DAYS, NOTICE_DAYS } from '#contract/renewal.ts'
import { Field } from '#web/form/Field.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { type Api, useConsole } from '../api.ts'

const { price, renewal_price, from_on, reason } = consoleCalls.changePrices.input.shape
/** A field that is left empty, or is not there, is ''. */
const rules = { price, renewal_price, from_on: z.union([z.literal(''), from_on], 'Please enter a day.'), reason }

type PriceDialogProps = { offer: PackagePage; onClose: () => void; onDone: (page: PackagePage) => void }

/** New prices, with what they do to members on the screen before they are saved. */
export function PriceDialog({ offer, onClose, onDone }: PriceDialogProps) {
  const { api, session } = useConsole()
  const [renewal, setRenewal] = useState(offer.renewal_price ?? '')
  const [from, setFrom] = useState(addDays(session.today, NOTICE_DAYS))
  const form = useCallForm({
    rules,
    values: { price: offer.price, renewal_price: offer.renewal_price ?? '', from_on: from },
    send: async ({ from_on, ...values }) =>
      onDone(await api.changePrices({ product_id: offer.product_id, ...values, ...(from_on ? { from_on } : {}) })),
  })
  return (
    <FormDialog
      title={`Prices of ${offer.name}`}
      text="Everyone who joins from now on pays the new prices."
      form={form}
      submitLabel="Change prices"
      onClose={onClose}
    >
      <Field {...form.field('price')} label="Price today" inputMode="decimal" autoComplete="off" />
      {offer.billing_interval === 'once' ? (
        <>
          <input type="hidden" name="renewal_price" value="" />
          <input type="hidden" name="from_on" value="" />
        </>
      ) : (
        <>
          <Field
            {...form.field('renewal_price')}
            label={`Renewal price a ${offer.billing_interval}`}
            inputMode="decimal"
            autoComplete="off"
            onChange={({ target }) => setRenewal(target.value)}
          />
          <Field
            {...form.field('from_on')}
            label="Members who have it pay more from"
            type="date"
            hint={`Each gets an email ${MIN_NOTICE_DAYS} to ${NOTICE_DAYS} days before paying the new price.`}
            min={addDays(session.today, MIN_NOTICE_DAYS)}
            max={addDays(session.today, NOTICE_DAYS)}
            onChange={({ target }) => setFrom(target.value)}
          />
          <Effect key={renewal} offer={offer} entered={renewal} from={from} />
        </>
      )}
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}

type EffectProps = { offer: PackagePage; entered: string; from: string }

function Effect({ offer, entered, from }: EffectProps) {
  const { api } = useConsole()
  const amount = renewal_price.safeParse(entered).data ?? ''
  const isChanged = Boolean(amount) && amount !== offer.renewal_price
  const { groups, unaffected, isComplete, error } = useMemberPrices(api, offer.product_id, isChanged ? amount : '')
  if (!isChanged) return <p className="effect">The renewal price stays, so no member is told anything.</p>
  const emails = groups.reduce((sum, { change, members }) => sum + (change ? members : 0), 0)
  return (
    <div className="effect" role="status" aria-busy={!isComplete || undefined}>
      <p>
        <strong>What this does to members</strong>
      </p>
      <ul>
        {groups.map((group) => (
          <li key={`${group.pays} ${group.announced}`}>{sentenceOf(group, showAmount(amount), from)}</li>
        ))}
        {unaffected > 0 && (
          <li>{people(unaffected)} canceled or on hold: nothing changes until they resume or the hold is released.</li>
        )}
        {isComplete && groups.length + unaffected === 0 && <li>No member has this package.</li>}
      </ul>
      <p>{isComplete ? `Emails to send: ${emails.toLocaleString('en-US')}.` : 'Counting…'}</p>
      {error && <p>{error}</p>}
    </div>
  )
}

const people = (count: number) => (count === 1 ? 'One member' : `${count.toLocaleString('en-US')} members`)

function sentenceOf({ pays, announced, members, change }: PriceGroup, amount: string, from: string): string {
  const told = announced ? ` (${showAmount(announced)} is announced)` : ''
  const now = `${people(members)} paying ${showAmount(pays)}${told}`
  if (!change) return `${now}: nothing changes.`
  if (change === 'next_renewal') return `${now}: ${amount} from the next renewal.`
  return `${now}: ${amount} from the first renewal on or after ${from ? plainDay(from) : 'the notice'}.`
}

type Sum = { groups: PriceGroup[]; unaffected: number; isComplete: boolean; error?: string }
const PAUSE_MS = 300

/** Adds up what the server counts, some thousand members at a time, a moment after the last keystroke. */
function useMemberPrices(api: Api, product_id: number, renewal_price: string): Sum {
  const [sum, setSum] = useState<Sum>({ groups: [], unaffected: 0, isComplete: false })
  useEffect(() => {
    if (!renewal_price) return
    let isCurrent = true
    const count = async () => {
      const groups = new Map<string, PriceGroup>()
      let unaffected = 0
      let after: string | undefined
      do {
        const part = await api.getPriceEffect({ product_id, renewal_price, ...(after ? { after } : {}) })
        for (const group of part.groups) {
          const key = `${group.pays} ${group.announced}`
          groups.set(key, { ...group, members: group.members + (groups.get(key)?.members ?? 0) })
        }
        unaffected += part.unaffected
        after = part.next
        if (isCurrent) setSum({ groups: [...groups.values()], unaffected, isComplete: !after })
      } while (after && isCurrent)
    }
    const fail = (cause: unknown) => isCurrent && setSum((last) => ({ ...last, error: errorMessage(cause) }))
    const timer = setTimeout(() => count().catch(fail), PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [api, product_id, renewal_price])
  return sum
}
