import type { OfficeView } from '#contract/office/view.ts'
import { statusOf } from './status.ts'

/** At the top of the office: what is true about the membership, and the one thing to do. */
export function StatusLine({ membership }: Pick<OfficeView, 'membership'>) {
  const { label, tone, sentence, action } = statusOf(membership)
  return (
    <section className={`status ${tone}`} aria-label="Status">
      <p>
        <strong>{label}</strong> {sentence}
      </p>
      {action && (
        <a className="button" href={action.href}>
          {action.label}
        </a>
      )}
    </section>
  )
}
