export { solveAhead } from '../solvedAhead.ts'
export { CodeVerification } from './CodeVerification.tsx'
