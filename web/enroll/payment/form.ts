import type { useForm } from '#web/form/useForm.ts'
import type { asked } from '../rules.ts'

/** The form of PAYMENT, as its parts see it. */
export type PaymentForm = Pick<ReturnType<typeof useForm<typeof asked.PAYMENT>>, 'field'>
