import type { OfficeView } from '#contract/office/view.ts'

/** At the top of the office: what is true about the membership, and the one thing to do. */
export const StatusLine = ({ label, tone, sentence, action }: OfficeView['status']) => (
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
