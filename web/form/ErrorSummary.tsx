import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { focusField } from './focusField.ts'

type Entry = { name: string; message: string; done: boolean }

/** What was wrong at the last Next, each a link to its field. What is put right is ticked and stays, so nothing jumps. */
export function ErrorSummary({ entries }: { entries: Entry[] }) {
  if (!entries.length) return null
  const done = entries.every((entry) => entry.done)
  return (
    <section className={done ? 'summary done' : 'summary'} aria-labelledby="summary">
      <h2 id="summary">
        {done ? <CheckIcon /> : <AlertIcon />}
        {done ? 'Thank you, you can go on.' : 'Please check what you entered.'}
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
