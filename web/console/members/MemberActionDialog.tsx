import { placementSides, placementTexts } from '#contract/commission.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { type MemberAction, planOf } from './memberActions.tsx'

type DialogProps = {
  action: MemberAction
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

/** One dialog for every action: what will happen, an amount and a reason where they are needed, and the button. */
export function MemberActionDialog({ action, member, onClose, onDone }: DialogProps) {
  const { api, session } = useConsole()
  const plan = planOf(action, member, session.time_zone)
  const form = useCallForm({
    rules: plan.rules,
    values: plan.values ?? {},
    send: async (values) => onDone(await plan.send(api, values as Record<string, string>), plan.done),
  })
  return (
    <FormDialog title={plan.title} text={plan.text} form={form} submitLabel={plan.submit} onClose={onClose}>
      {'amount' in plan.rules && (
        <Field
          {...form.field('amount')}
          label="Amount in dollars"
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
        />
      )}
      {'email_id' in plan.rules && (
        <SelectField
          {...form.field('email_id')}
          label="Email"
          options={member.emails.map(({ email_id, text }) => ({ value: email_id, text }))}
        />
      )}
      {'username' in plan.rules && (
        <Field
          {...form.field('username')}
          label={`Type ${member.username} to confirm`}
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="next"
        />
      )}
      {'sponsor_site' in plan.rules && (
        <Field
          {...form.field('sponsor_site')}
          label="Link of the new sponsor"
          hint="A link, or the word after the slash, such as /ana"
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="next"
        />
      )}
      {'side' in plan.rules && (
        <SelectField
          {...form.field('side')}
          label="Placement"
          options={placementSides.map((value) => ({ value, text: placementTexts[value] }))}
        />
      )}
      {'parent_site' in plan.rules && (
        <Field
          {...form.field('parent_site')}
          label="Placed under"
          optional
          hint={`A member’s link, such as /ana. Leave it blank to use the sponsor, /${member.sponsor.site}.`}
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="next"
        />
      )}
      {'reason' in plan.rules && (
        <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
      )}
    </FormDialog>
  )
}
