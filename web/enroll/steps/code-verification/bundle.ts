import { addStyles } from '#web/style/addStyles.ts'
import css from '#web/style/verify.css?inline'

addStyles(css)

export { CodeVerification } from './CodeVerification.tsx'
export { solveAhead } from './codeSender.ts'
