import { addStyles } from '#web/style/addStyles.ts'
import css from './checkout.css?inline'

// PAYMENT and ACCESS are one script: the welcome after a payment must not need the network.
addStyles(css)

export { access } from '../access/Access.tsx'
export { payment } from './Payment.tsx'
