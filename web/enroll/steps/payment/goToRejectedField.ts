import type { Step } from '#contract/start.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { FieldName } from '#web/storage.ts'
import { fieldRules } from '../../wizard/rules.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import { noteUnverified } from '../code-verification/phoneStatus.ts'

/**
 * Goes to the step of a rejected field. If a code is required and the number cannot get one, that is ACCOUNT. False if the
 * messages belong to PAYMENT or to no field.
 */
export function goToRejectedField(wizard: Wizard, fields: Messages): boolean {
  const { mobile_phone } = wizard.getState().draft
  const [phoneFailure] = fields.code ? (fields.mobile_phone ?? []) : []
  if (mobile_phone && phoneFailure) {
    wizard.update({ phoneFailure: { mobile_phone, message: phoneFailure } })
    wizard.returnTo('ACCOUNT', 'mobile_phone')
    return true
  }
  if (mobile_phone && isCodeRequired(wizard, fields)) {
    noteUnverified(wizard, mobile_phone)
    wizard.returnTo('CODE_VERIFICATION', 'code', fields.code ? { code: fields.code } : undefined)
    return true
  }
  const earlier = findRejectedStep(fields)
  if (!earlier) return false
  const [field] = Object.keys(earlier.rejectedFields)
  wizard.returnTo(earlier.step, field as FieldName, earlier.rejectedFields)
  return true
}

/** With phone verification on, the server rejects the phone number. While many cards are declined, it requires a code. */
const isCodeRequired = ({ start }: Wizard, { code, mobile_phone }: Messages) =>
  code !== undefined || (mobile_phone !== undefined && start.policy.phone_verification)

const earlierSteps = ['ACCOUNT', 'ACCOUNT_CREATION'] as const

/** The earliest step with a rejected field, and the messages for it. */
export function findRejectedStep(fields: Messages): { step: Step; rejectedFields: Messages } | undefined {
  for (const step of earlierSteps) {
    const messages = Object.entries(fields).filter(([name]) => name in fieldRules[step])
    if (messages.length) return { step, rejectedFields: Object.fromEntries(messages) }
  }
}

/** The messages, if one of them is about a field of PAYMENT. */
export const paymentFieldsOf = (fields: Messages): Messages | undefined =>
  Object.keys(fields).some((name) => name in fieldRules.PAYMENT) ? fields : undefined
