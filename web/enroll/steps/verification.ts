import { addStyles } from '#web/style/addStyles.ts'
import css from '../../style/verify.css?inline'

addStyles(css)

export { solveAhead } from '../solvedAhead.ts'
export { CodeVerification } from './CodeVerification.tsx'
