import type { fieldRules } from '#web/enroll/wizard/rules.ts'
import type { useForm } from '#web/form/useForm.ts'

/** The form of PAYMENT, as its sections use it. */
export type PaymentForm = Pick<ReturnType<typeof useForm<typeof fieldRules.PAYMENT>>, 'field'>
