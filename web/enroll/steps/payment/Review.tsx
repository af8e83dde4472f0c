import type { Package } from '#contract/api.ts'
import type { Step } from '#contract/start.ts'
import { showPhone } from '#web/form/showPhone.ts'
import type { Draft, FieldName } from '#web/storage.ts'

type Row = { label: string; value: string | undefined; step: Step; field: FieldName }

type ReviewProps = {
  draft: Draft
  chosen: Package | undefined
  /** The total could not be loaded. */
  isStopped: boolean
  onEdit: (step: Step, field: FieldName) => void
}

/** The chosen package's picture, and the answers of the earlier steps, each with a button that leads back to its field. */
export function Review({ draft, chosen, isStopped, onEdit }: ReviewProps) {
  const { first_name, last_name, business_name, mobile_phone, email, username } = draft
  const rows: Row[] = [
    { label: 'Name', value: `${first_name ?? ''} ${last_name ?? ''}`, step: 'ACCOUNT', field: 'first_name' },
    { label: 'Company', value: business_name, step: 'ACCOUNT', field: 'business_name' },
    { label: 'Phone', value: showPhone(mobile_phone ?? ''), step: 'ACCOUNT', field: 'mobile_phone' },
    { label: 'Email', value: email, step: 'ACCOUNT_CREATION', field: 'email' },
    { label: 'Username', value: username, step: 'ACCOUNT_CREATION', field: 'username' },
  ]
  return (
    <section className="review" aria-labelledby="review">
      <div className="review-head">
        <h2 id="review">Your details</h2>
        {chosen && <img src={chosen.image_url} alt={chosen.name} width="720" height="296" />}
      </div>
      <dl>
        {rows
          .filter(({ value }) => value?.trim())
          .map(({ label, value, step, field }) => (
            <div key={field}>
              <dt>{label}</dt>
              <dd>{value}</dd>
              <dd>
                <button type="button" className="link" disabled={isStopped} onClick={() => onEdit(step, field)}>
                  Edit<span className="unseen"> {label.toLowerCase()}</span>
                </button>
              </dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
