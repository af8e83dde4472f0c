import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { unitedStates } from '#contract/countries.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'

const { member_id: _member_id, version: _version, ...rules } = consoleCalls.changeDetails.input.shape
const states = unitedStates.regions.map(({ name, shortCode }) => ({ value: shortCode ?? name, text: name }))

type DialogProps = {
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

const labels = {
  first_name: 'First name',
  last_name: 'Last name',
  business_name: 'Company',
  email: 'Email',
  mobile_phone: 'Mobile phone',
  address: 'Address',
  address2: 'Address 2',
  city: 'City',
  post_code: 'ZIP code',
  state: 'State',
}

/** The address that is waiting to be confirmed, if there is one. */
const formOf = ({ first_name, last_name, business_name, email, mobile_phone, ...page }: MemberPage) => {
  const { country: _country, ...address } = page.postal
  return { first_name, last_name, business_name, email: page.unconfirmed_email ?? email, mobile_phone, ...address }
}

/** Everything that the member typed when joining, except the username and the password. */
export function DetailsDialog({ member, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const form = useEditForm({
    rules,
    page: member,
    shownOf: (page) => ({ version: page.details_version, values: formOf(page) }),
    load: () => api.getMember({ member_id: member.id }),
    save: (values, version) => api.changeDetails({ member_id: member.id, ...values, version }),
    onSaved: (changed) => {
      const isWaiting = changed.unconfirmed_email && changed.unconfirmed_email !== member.unconfirmed_email
      onDone(
        changed,
        isWaiting
          ? `The details are changed. ${changed.unconfirmed_email} has to confirm the new address first.`
          : 'The details are changed.',
      )
    },
    labels,
    show: (name, value) => (name === 'state' ? states.find((state) => state.value === value)?.text : value),
  })
  const plain = { autoComplete: 'off', enterKeyHint: 'next' } as const
  return (
    <FormDialog
      title={`Edit ${member.first_name}’s details`}
      text="We’ll send a link to a new email address. It takes effect once it’s confirmed, and then we tell the old address."
      form={form}
      submitLabel="Save"
      onClose={onClose}
    >
      <div className="pair">
        <Field {...form.field('first_name')} label={labels.first_name} {...plain} />
        <Field {...form.field('last_name')} label={labels.last_name} {...plain} />
      </div>
      <Field {...form.field('business_name')} label={labels.business_name} optional {...plain} />
      <Field {...form.field('email')} label={labels.email} inputMode="email" autoCapitalize="none" {...plain} />
      <Field {...form.field('mobile_phone')} label={labels.mobile_phone} inputMode="tel" {...plain} />
      <Field {...form.field('address')} label={labels.address} {...plain} />
      <Field {...form.field('address2')} label={labels.address2} optional {...plain} />
      <div className="pair">
        <Field {...form.field('city')} label={labels.city} {...plain} />
        <Field {...form.field('post_code')} label={labels.post_code} {...plain} />
      </div>
      <SelectField {...form.field('state')} label={labels.state} options={states} placeholder="Choose" />
      {form.questions}
    </FormDialog>
  )
}
