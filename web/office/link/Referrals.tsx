import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { plainDay } from '#contract/days.ts'
import { AccountIcon, ChevronIcon } from '#web/icons.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import type { Office } from '../useOffice.ts'

const INITIAL_COUNT = 5

/** The people who joined through the member's link. Shows only names and dates, for privacy. */
export function Referrals({ office }: { office: Office }) {
  const { brought: referrals, totals } = office.view
  const [isExpanded, setExpanded] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const numbered = referrals.map((referral, index) => ({ ...referral, number: totals.joins - index }))
  const visible = isExpanded ? numbered : numbered.slice(0, INITIAL_COUNT)
  const showAll = () => {
    flushSync(() => setExpanded(true))
    list.current?.querySelectorAll('li')[INITIAL_COUNT]?.focus() // the button that had the focus is gone
  }
  return (
    <section className="card" aria-labelledby="referrals">
      <h2 id="referrals">People who joined through you</h2>
      {referrals.length ? (
        <ul className="people" ref={list}>
          {visible.map(({ name, joined_on, number }) => (
            <li key={number} tabIndex={-1}>
              <span className="initials" aria-hidden="true">
                {initialsOf(name)}
              </span>
              <span className="name">{name}</span>
              <time dateTime={joined_on}>{plainDay(joined_on)}</time>
            </li>
          ))}
        </ul>
      ) : (
        <div className="empty-state">
          <AccountIcon />
          <p>
            <strong>No one yet.</strong> People who join through your link appear here, with the date they joined.
          </p>
        </div>
      )}
      {referrals.length > INITIAL_COUNT && !isExpanded && (
        <button type="button" className="link more" onClick={showAll}>
          Show {referrals.length < totals.joins ? `the latest ${referrals.length} of` : 'all'} {totals.joins}
          <ChevronIcon />
        </button>
      )}
      <JoinEmails office={office} />
    </section>
  )
}

/** Switches the email about new referrals on or off. The box shows the choice at once, and goes back if it was not saved. */
function JoinEmails({ office }: { office: Office }) {
  const { username, join_emails } = office.view
  const [choice, setChoice] = useState<boolean>()
  const [error, setError] = useState<string>()
  const change = async (join_emails: boolean) => {
    setChoice(join_emails)
    setError(undefined)
    office.clearSuccess()
    try {
      const view = await redirectIfSignedOut(officeApi.changeJoinEmails({ username, join_emails }))
      office.showSuccess({ section: 'referrals', message: join_emails ? EMAILS_ON : EMAILS_OFF, view })
    } catch (cause) {
      setError(errorMessage(cause))
    }
    setChoice(undefined)
  }
  return (
    <div className="join-emails">
      <label className="tick-row">
        <input
          type="checkbox"
          name="join_emails"
          checked={choice ?? join_emails}
          aria-busy={choice !== undefined || undefined}
          onChange={({ target }) => choice === undefined && change(target.checked)}
        />
        Email me when somebody joins through my link
      </label>
      <ErrorNotice message={error} />
      <SuccessNotice message={office.successIn('referrals')} />
    </div>
  )
}

const EMAILS_ON = "We'll email you when somebody joins through your link."
const EMAILS_OFF = "We won't email you when somebody joins through your link."

/** 'Zoë van Example' → 'ZE' */
export const initialsOf = (name: string) => {
  const words = name.split(' ').filter(Boolean)
  return [words.at(0), words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '')
    .join('')
}
