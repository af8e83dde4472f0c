import type { asked } from '#web/enroll/wizard/rules.ts'
import type { useForm } from '#web/form/useForm.ts'

/** The form of PAYMENT, as its parts see it. */
export type PaymentForm = Pick<ReturnType<typeof useForm<typeof asked.PAYMENT>>, 'field'>
