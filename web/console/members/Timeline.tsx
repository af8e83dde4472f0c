import { useState } from 'react'
import type { TimelineEntry } from '#contract/console/member-page.ts'
import { showAmount } from '#contract/money.ts'
import { useConsole } from '../api.ts'
import { Panel, showTime } from '../parts.tsx'

const filters: [text: string, fits: (entry: TimelineEntry) => boolean][] = [
  ['Everything', () => true],
  ['Money', ({ kind }) => kind === 'money'],
  ['Emails', ({ kind }) => kind === 'email'],
  ['Sign-ins', ({ kind }) => kind === 'sign_in'],
  ['Staff', ({ who }) => who !== undefined],
  ['Links', ({ kind }) => kind === 'link' || kind === 'membership'],
]

type TimelineProps = { timeline: TimelineEntry[]; onResend: (email_id: string) => void }

/** Everything that happened to a member, newest first. */
export function Timeline({ timeline, onResend }: TimelineProps) {
  const [shown, setShown] = useState(0)
  const entries = timeline.filter(filters[shown]?.[1] ?? (() => true))
  return (
    <Panel title="Timeline">
      <fieldset className="tabs">
        <legend className="unseen">Show in the timeline</legend>
        {filters.map(([text], index) => (
          <button
            key={text}
            type="button"
            aria-pressed={index === shown}
            className="tab"
            onClick={() => setShown(index)}
          >
            {text}
          </button>
        ))}
      </fieldset>
      <ol className="timeline">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two things can happen at one moment
          <li key={`${entry.at} ${index}`} data-tone={entry.tone} data-kind={entry.kind}>
            <Entry entry={entry} onResend={onResend} />
          </li>
        ))}
      </ol>
      {entries.length === 0 && <p className="small">Nothing of this kind yet.</p>}
    </Panel>
  )
}

function Entry({ entry, onResend }: { entry: TimelineEntry; onResend: TimelineProps['onResend'] }) {
  const { session, may } = useConsole()
  const { what, amount, detail, reason, who, at, email_id } = entry
  return (
    <>
      <p>
        <strong>{what}</strong> {amount && showAmount(amount)}{' '}
        {email_id && may('help_members') && (
          <button type="button" className="link" aria-label={`Send again: ${what}`} onClick={() => onResend(email_id)}>
            Send again
          </button>
        )}
      </p>
      <p className="small">
        <time dateTime={at}>{showTime(at, session.time_zone)}</time>
        {who && (
          <>
            {' · '}
            <bdi>{who}</bdi>
          </>
        )}
        {detail && (
          <>
            {' · '}
            <bdi>{detail}</bdi>
          </>
        )}
      </p>
      {reason && <p className="reason">“{reason}”</p>}
    </>
  )
}
