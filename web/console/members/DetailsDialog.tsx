import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { unitedStates } from '#contract/countries.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'

const { member_id: _member_id, ...rules } = consoleCalls.changeDetails.input.shape
const states = unitedStates.regions.map(({ name, shortCode }) => ({ value: shortCode ?? name, text: name }))

type DialogProps = {
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

/** Everything that the member typed when joining, except the username and the password. */
export function DetailsDialog({ member, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const { first_name, last_name, business_name, email, mobile_phone, postal } = member
  const form = useCallForm({
    rules,
    values: { first_name, last_name, business_name, email, mobile_phone, ...postal },
    send: async (values) => {
      const changed = await api.changeDetails({ member_id: member.id, ...values })
      const isWaiting = changed.unconfirmed_email && changed.unconfirmed_email !== member.unconfirmed_email
      onDone(
        changed,
        isWaiting
          ? `The details are changed. ${changed.unconfirmed_email} has to confirm the new address first.`
          : 'The details are changed.',
      )
    },
  })
  const plain = { autoComplete: 'off', enterKeyHint: 'next' } as const
  return (
    <FormDialog
      title={`Edit the details of ${first_name}`}
      text="A new email address gets a link, and takes effect once it’s confirmed. The old address is told then."
      form={form}
      submitLabel="Save"
      onClose={onClose}
    >
      <div className="pair">
        <Field {...form.field('first_name')} label="First name" {...plain} />
        <Field {...form.field('last_name')} label="Last name" {...plain} />
      </div>
      <Field {...form.field('business_name')} label="Company" optional {...plain} />
      <Field {...form.field('email')} label="Email" inputMode="email" autoCapitalize="none" {...plain} />
      <Field {...form.field('mobile_phone')} label="Mobile phone" inputMode="tel" {...plain} />
      <Field {...form.field('address')} label="Address" {...plain} />
      <Field {...form.field('address2')} label="Address 2" optional {...plain} />
      <div className="pair">
        <Field {...form.field('city')} label="City" {...plain} />
        <Field {...form.field('post_code')} label="ZIP code" {...plain} />
      </div>
      <SelectField {...form.field('state')} label="State" options={states} placeholder="Choose" />
    </FormDialog>
  )
}
