import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { OfficeView } from '#contract/office-calls.ts'
import { plainDay } from '#web/dates.ts'
import { AccountIcon, ChevronIcon } from '#web/icons.tsx'

const FIRST = 5

/** Who joined through the member's link: names and days, nothing else. */
export function Brought({ view: { brought, totals } }: { view: OfficeView }) {
  const [isWhole, setWhole] = useState(false)
  const numbered = brought.map((person, later) => ({ ...person, number: totals.joins - later }))
  const list = useRef<HTMLUListElement>(null)
  const showAll = () => {
    flushSync(() => setWhole(true))
    list.current?.querySelectorAll('li')[FIRST]?.focus() // the button that was pressed goes
  }
  const shown = isWhole ? numbered : numbered.slice(0, FIRST)
  return (
    <section className="card" aria-labelledby="brought">
      <h2 id="brought">Whom you brought</h2>
      {brought.length ? (
        <ul className="people" ref={list}>
          {shown.map(({ name, joined_on, number }) => (
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
        <div className="nothing">
          <AccountIcon />
          <p>
            <strong>Nobody yet.</strong> Whoever joins through your link stands here, with name and day.
          </p>
        </div>
      )}
      {brought.length > FIRST && !isWhole && (
        <button type="button" className="link more" onClick={showAll}>
          Show {brought.length < totals.joins ? `the newest ${brought.length} of` : 'all'} {totals.joins}
          <ChevronIcon />
        </button>
      )}
    </section>
  )
}

/** 'Zoë van Example' → 'ZE' */
const initialsOf = (name: string) => {
  const words = name.split(' ').filter(Boolean)
  return [words.at(0), words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '')
    .join('')
}
