import { addStyles } from '#web/style/addStyles.ts'
import css from '#web/style/checkout.css?inline'

addStyles(css)

/** PAYMENT and ACCESS come as one file: who has paid must not wait for the welcome, not even without a network. */
export { Access } from '#web/enroll/steps/access/Access.tsx'
export { Payment } from './Payment.tsx'
