import { addStyles } from '#web/style/addStyles.ts'
import css from './verify.css?inline'

// The script of CODE_VERIFICATION.
addStyles(css)

export { codeVerification } from './CodeVerification.tsx'
