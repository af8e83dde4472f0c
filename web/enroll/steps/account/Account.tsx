import { StepForm } from '#web/enroll/wizard/StepForm.tsx'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { Field } from '#web/form/Field.tsx'
import { Honeypot } from '#web/form/Honeypot.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import { useForm } from '#web/form/useForm.ts'

/** Who is joining, and how to reach them. */
export function Account({ wizard }: { wizard: Wizard }) {
  const form = useForm({
    rules: () => wizard.byRules(({ asked }) => asked.ACCOUNT),
    values: wizard.draft,
    serverMessages: wizard.refused,
    onValid: (answers) => wizard.advance(answers),
  })
  return (
    <StepForm
      wizard={wizard}
      step="ACCOUNT"
      form={form}
      title="Tell us about yourself"
      lead="Two minutes. You can go back at any time and nothing is lost."
    >
      <div className="pair">
        <Field {...form.field('first_name')} label="First name" autoComplete="given-name" enterKeyHint="next" />
        <Field {...form.field('last_name')} label="Last name" autoComplete="family-name" enterKeyHint="next" />
      </div>
      <Field
        {...form.field('business_name')}
        label="Company name"
        optional
        autoComplete="organization"
        enterKeyHint="next"
      />
      <PhoneField
        {...form.field('mobile_phone')}
        label="Mobile phone number"
        hint={
          wizard.start.policy.phone_verification
            ? 'We send you a code to confirm it. Never shared.'
            : 'So that we can reach you about your membership. Never shared.'
        }
        enterKeyHint="go"
      />
      <Honeypot traps={[form.field('hall_lantern'), form.field('hall_umbrella')]} />
    </StepForm>
  )
}
