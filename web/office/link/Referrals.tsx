import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { plainDay } from '#contract/days.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { officeApi } from '../api.ts'
import { EmailSwitch } from '../EmailSwitch.tsx'
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
        <p className="small">
          <strong>No one yet.</strong> People who join through your link appear here, with the date they joined.
        </p>
      )}
      {referrals.length > INITIAL_COUNT && !isExpanded && (
        <button type="button" className="link more" onClick={showAll}>
          Show {referrals.length < totals.joins ? `the latest ${referrals.length} of` : 'all'} {totals.joins}
          <ChevronIcon />
        </button>
      )}
      <EmailSwitch
        office={office}
        name="join_emails"
        section="referrals"
        {...emailTexts}
        save={(join_emails) => officeApi.changeJoinEmails({ username: office.view.username, join_emails })}
      />
    </section>
  )
}

const emailTexts = {
  label: 'Email me when someone joins through my link',
  done: {
    on: 'We’ll email you when someone joins through your link.',
    off: 'We won’t email you when someone joins through your link.',
  },
}

/** 'Zoë van Example' → 'ZE' */
export const initialsOf = (name: string) => {
  const words = name.split(' ').filter(Boolean)
  return [words.at(0), words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '')
    .join('')
}
