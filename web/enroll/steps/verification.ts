import css from '../../style/verify.css?inline'
import { wear } from '../../style/wear.ts'

wear(css)

export { solveAhead } from '../solvedAhead.ts'
export { CodeVerification } from './CodeVerification.tsx'
