import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { focusField } from './Field.tsx'

type SummaryEntry = { name: string; message: string; done: boolean }

/** The errors of the last submit, each a link to its field. A corrected one is ticked, not removed, so that nothing moves. */
export function ErrorSummary({ entries }: { entries: SummaryEntry[] }) {
  if (!entries.length) return null
  const done = entries.every((entry) => entry.done)
  return (
    <section className={done ? 'summary done' : 'summary'} aria-labelledby="summary">
      <h2 id="summary">
        {done ? <CheckIcon /> : <AlertIcon />}
        {done ? 'Thank you. You can continue.' : 'Please check your answers.'}
      </h2>
      <ul>
        {entries.map((entry) => (
          <li key={entry.name} className={entry.done ? 'done' : undefined}>
            <a
              href={`#${entry.name}`}
              onClick={(event) => {
                event.preventDefault()
                focusField(entry.name)
              }}
            >
              {entry.message}
            </a>
            {entry.done && <span className="unseen"> (done)</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
