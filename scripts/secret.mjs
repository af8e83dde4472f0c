// npm run secret: prints a new SECRET, 32 random bytes.
import { randomBytes } from 'node:crypto'

console.log(randomBytes(32).toString('base64url'))
