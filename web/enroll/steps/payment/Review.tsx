import type { Step } from '#contract/start.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { showPhone } from '#web/form/showPhone.ts'
import type { FieldName } from '#web/storage.ts'

type Row = { label: string; value: string | undefined; step: Step; field: FieldName }

/** What was entered before, each with a way back to its field. */
export function Review({ wizard }: { wizard: Wizard }) {
  const { first_name, last_name, business_name, mobile_phone, email, username } = wizard.draft
  const rows: Row[] = [
    { label: 'Name', value: `${first_name ?? ''} ${last_name ?? ''}`, step: 'ACCOUNT', field: 'first_name' },
    { label: 'Company', value: business_name, step: 'ACCOUNT', field: 'business_name' },
    { label: 'Phone', value: showPhone(mobile_phone ?? ''), step: 'ACCOUNT', field: 'mobile_phone' },
    { label: 'Email', value: email, step: 'ACCOUNT_CREATION', field: 'email' },
    { label: 'Username', value: username, step: 'ACCOUNT_CREATION', field: 'username' },
  ]
  return (
    <section className="review" aria-labelledby="review">
      <h2 id="review">Your details</h2>
      <dl>
        {rows
          .filter(({ value }) => value?.trim())
          .map(({ label, value, step, field }) => (
            <div key={field}>
              <dt>{label}</dt>
              <dd>{value}</dd>
              <dd>
                <button type="button" className="link" onClick={() => wizard.returnTo(step, field)}>
                  Edit<span className="unseen"> {label.toLowerCase()}</span>
                </button>
              </dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
