import { useMemo } from 'react'
import type { Policy } from '#contract/start.ts'
import { Field } from '#web/form/Field.tsx'
import { Honeypot } from '#web/form/Honeypot.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import { type Messages, useForm } from '#web/form/useForm.ts'
import type { Draft } from '#web/storage.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { StepForm } from '../../wizard/StepForm.tsx'
import { phoneFailureOf, rejectedFieldsAt } from '../../wizard/state.ts'
import type { Wizard } from '../../wizard/wizard.ts'

type AccountProps = {
  answers: Draft
  rejectedFields: Messages | undefined
  /** Why no code could be sent to the number. It does not stop Next, because the next one may be sent. */
  phoneFailure: string | undefined
  policy: Policy
  withRules: Wizard['withRules']
  onNext: Wizard['advance']
}

/** Who is joining, and how to reach them. */
function Account({ answers, rejectedFields, phoneFailure, policy, withRules, onNext }: AccountProps) {
  const failedPhone = useMemo(() => phoneFailure && { mobile_phone: [phoneFailure] }, [phoneFailure])
  const form = useForm({
    rules: () => withRules(({ accountRules }) => accountRules(policy)),
    values: answers,
    serverMessages: failedPhone || rejectedFields,
    checkedByServer: failedPhone ? ['mobile_phone'] : [],
    onValid: onNext,
  })
  return (
    <StepForm
      step="ACCOUNT"
      form={form}
      title="Tell us about yourself"
      lead="Takes about two minutes. You can go back without losing anything."
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
          policy.phone_verification
            ? 'We’ll send you a code to confirm it. We never share it.'
            : 'So we can contact you about your membership. We never share it.'
        }
        codeCountries={policy.code_countries}
        enterKeyHint="go"
      />
      <Honeypot traps={[form.field('hall_lantern'), form.field('hall_umbrella')]} />
    </StepForm>
  )
}

export const account = defineStep(Account, (wizard, state) => ({
  answers: state.renderedDraft,
  rejectedFields: rejectedFieldsAt('ACCOUNT', state),
  phoneFailure: state.step === 'ACCOUNT' ? phoneFailureOf(state) : undefined,
  policy: wizard.start.policy,
  withRules: wizard.withRules,
  onNext: wizard.advance,
}))
