import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { focusField } from './Field.tsx'

type SummaryEntry = { name: string; message: string; open: number }

const countAnswers = (entries: SummaryEntry[]) => entries.reduce((sum, { open }) => sum + open, 0)

/** How many messages are shown. The rest are at their fields; one more link leads there. */
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
        {titleFor(countAnswers(entries))}
      </h2>
      <ul>
        {open.slice(0, MAX_LINKS + 1).map((entry, index) => (
          <li key={entry.name}>
            <a
              href={`#${entry.name}`}
              onClick={(event) => {
                event.preventDefault()
                focusField(entry.name)
              }}
            >
              {index < MAX_LINKS ? entry.message : `and ${more} more below`}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const titleFor = (count: number) =>
  count ? `Please check ${count > 1 ? `${count} answers` : 'one answer'}.` : 'Thank you. You can continue.'
