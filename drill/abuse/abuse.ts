import type { Part } from '../drill.ts'
import { stolenCards } from './card-testing.ts'
import { usedOnce } from './double-use.ts'
import { forgedHeaders } from './forged-headers.ts'
import { flood } from './fuzz/fuzz.ts'
import { pumpedCodes } from './sms-pumping.ts'

/** What an open form meets in its first week, on a clock that is turned. In full where real sites run: on PostgreSQL. */
export const abuse: Part = async (drill, ground) => {
  const once = await usedOnce(drill, ground)
  if (ground.name === 'embedded') return once
  return [
    ...(await stolenCards(drill, ground)),
    await pumpedCodes(drill, ground),
    ...(await forgedHeaders(drill, ground)),
    ...once,
    await flood(drill, ground),
  ]
}
