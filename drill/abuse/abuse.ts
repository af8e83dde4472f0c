import type { Drill } from '../drill.ts'
import { cardTesting } from './card-testing.ts'
import { doubleUse } from './double-use.ts'
import { forgedHeaders } from './forged-headers.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { signInFlood } from './sign-in-flood.ts'
import { smsPumping } from './sms-pumping.ts'

/** Common attacks on a public form, most of them on a virtual clock. Real sites run on PostgreSQL, so all attacks run there. */
export const abuse: Drill = async (run, backend) => {
  const doubleUseRows = await doubleUse(run, backend)
  if (backend.name === 'embedded') return doubleUseRows
  return [
    ...(await cardTesting(run, backend)),
    await smsPumping(run, backend),
    ...(await forgedHeaders(run, backend)),
    ...doubleUseRows,
    await fuzz(run, backend),
    await signInFlood(run, backend),
  ]
}
