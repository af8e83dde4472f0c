import { type ReactNode, useEffect } from 'react'
import type { MemberState } from '#contract/console/member-page.ts'
import { timeIn } from '#contract/days.ts'
import { Notice } from '#web/ui/Notice.tsx'
import type { Loaded } from './useLoaded.ts'

/** Small parts that several screens share. */

export type Tone = 'good' | 'bad' | 'warn' | 'plain'

export const Chip = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`chip ${tone}`}>{children}</span>
)

const states: Record<MemberState, [text: string, tone: Tone]> = {
  active: ['active', 'good'],
  past_due: ['past due', 'warn'],
  canceled: ['canceled', 'plain'],
  on_hold: ['on hold', 'warn'],
  ended: ['ended', 'bad'],
}
export const stateText = (state: MemberState) => states[state][0]

export const StateChip = ({ state }: { state: MemberState }) => <Chip tone={states[state][1]}>{states[state][0]}</Chip>

type PanelProps = { title: string; aside?: ReactNode; children: ReactNode }

/** A card with a heading. */
export const Panel = ({ title, aside, children }: PanelProps) => (
  <section className="card panel">
    <div className="panel-head">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
)

type ScreenHeadProps = { title: ReactNode; lead?: ReactNode; children?: ReactNode }

export const ScreenHead = ({ title, lead, children }: ScreenHeadProps) => (
  <div className="screen-head">
    <div>
      <h1>{title}</h1>
      {lead && <p className="lead">{lead}</p>}
    </div>
    {children && <div className="screen-actions">{children}</div>}
  </div>
)

/** What a screen shows while it waits, and when that failed. */
export const Waiting = ({ loaded }: { loaded: Pick<Loaded<unknown>, 'error' | 'reload'> }) =>
  loaded.error ? (
    <Notice tone="alert" role="alert">
      {loaded.error}{' '}
      <button type="button" className="link" onClick={loaded.reload}>
        Try again
      </button>
    </Notice>
  ) : (
    <div className="bar" role="progressbar" aria-label="Loading" />
  )

/** The title of the page, from the screen that was shown last. A second `<title>` would change nothing. */
export function Title({ children }: { children: string }) {
  useEffect(() => {
    document.title = `${children} · Console`
  }, [children])
  return null
}

/** A list of names and values. */
export const Facts = ({ facts }: { facts: [name: string, value: ReactNode][] }) => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** 'Nov 17, 2026, 10:04 AM' in the operator's time zone. */
export const showTime = (time: string, time_zone: string): string => timeIn(time_zone, new Date(time))
