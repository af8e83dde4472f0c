import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { focusField } from './Field.tsx'

type SummaryEntry = { name: string; message: string; open: number }

const countAnswers = (entries: SummaryEntry[]) => entries.reduce((sum, { open }) => sum + open, 0)

/** How many links are shown. The rest have their messages at the fields. */
const MAX_LINKS = 3

/** The errors of the last submit, each a link to its field. A corrected one is removed. */
export function ErrorSummary({ entries }: { entries: SummaryEntry[] }) {
  if (!entries.length) return null
  const open = entries.filter((entry) => entry.open)
  const more = countAnswers(open.slice(MAX_LINKS))
  return (
    <section className={open.length ? 'summary' : 'summary done'} aria-labelledby="summary">
      <h2 id="summary">
        {open.length ? <AlertIcon /> : <CheckIcon />}
        {titleFor(countAnswers(open))}
      </h2>
      <ul>
        {open.slice(0, MAX_LINKS).map((entry) => (
          <li key={entry.name}>
            <a
              href={`#${entry.name}`}
              onClick={(event) => {
                event.preventDefault()
                focusField(entry.name)
              }}
            >
              {entry.message}
            </a>
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {more} more below</p>}
    </section>
  )
}

const titleFor = (count: number) => {
  if (!count) return 'Thank you. You can continue.'
  return count === 1 ? 'Please check one answer.' : `Please check ${count} answers.`
}
