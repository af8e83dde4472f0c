import type { Package } from '#contract/api.ts'
import type { Step } from '#contract/start.ts'
import { showPhone } from '#web/form/showPhone.ts'
import { ChevronIcon } from '#web/icons.tsx'
import type { Draft, FieldName } from '#web/storage.ts'
import { EmailText } from '#web/ui/EmailText.tsx'

type Row = { label: string; value: string | undefined; step: Step; field: FieldName }

type ReviewProps = {
  draft: Draft
  chosen: Package | undefined
  /** The total could not be loaded. */
  isStopped: boolean
  onEdit: (step: Step, field: FieldName) => void
}

/** A line that opens: the answers of the earlier steps, each with a button that leads back to its field. */
export function Review({ draft, chosen, isStopped, onEdit }: ReviewProps) {
  const { first_name, last_name, business_name, mobile_phone, email, username } = draft
  const name = `${first_name ?? ''} ${last_name ?? ''}`
  const rows: Row[] = [
    { label: 'Name', value: name, step: 'ACCOUNT', field: 'first_name' },
    { label: 'Company', value: business_name, step: 'ACCOUNT', field: 'business_name' },
    { label: 'Phone', value: showPhone(mobile_phone ?? ''), step: 'ACCOUNT', field: 'mobile_phone' },
    { label: 'Email', value: email, step: 'ACCOUNT_CREATION', field: 'email' },
    { label: 'Username', value: username, step: 'ACCOUNT_CREATION', field: 'username' },
  ]
  return (
    <details className="review">
      <summary>
        {chosen && <img src={chosen.image_url} alt={chosen.name} width="720" height="296" />}
        <div className="review-line">
          <h2>Your details</h2>
          <p>
            {name}, <EmailText email={email ?? ''} />
          </p>
        </div>
        <ChevronIcon />
      </summary>
      <dl>
        {rows
          .filter(({ value }) => value?.trim())
          .map(({ label, value, step, field }) => (
            <div key={field}>
              <dt>{label}</dt>
              <dd>{field === 'email' ? <EmailText email={value ?? ''} /> : value}</dd>
              <dd>
                <button type="button" className="link" disabled={isStopped} onClick={() => onEdit(step, field)}>
                  Edit<span className="unseen"> {label.toLowerCase()}</span>
                </button>
              </dd>
            </div>
          ))}
      </dl>
    </details>
  )
}
