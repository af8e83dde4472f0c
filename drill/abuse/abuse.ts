import type { Part } from '../scale.ts'
import { stolenCards } from './cards.ts'
import { pumpedCodes } from './codes.ts'
import { flood } from './flood.ts'
import { forgedHeaders } from './forged.ts'
import { usedOnce } from './once.ts'

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
