import type { Part, Row } from '../drill.ts'
import { openScene } from './fixture.ts'
import { broughtOnce } from './one-time-links.ts'
import { discretion } from './sponsor-privacy.ts'
import { forgetting, signingIn } from './timing-leaks.ts'

/** What the office promises to those outside of it and to those inside. In short only what a database decides is asked of both. */
const promises: Part = async (drill, ground) => {
  const place = await ground.fresh()
  const scene = await openScene(drill, ground, place)
  const rows = await broughtOnce(drill, ground, scene)
  if (!drill.short || ground.name === 'PostgreSQL')
    for (const promise of [discretion, signingIn, forgetting]) rows.push(await promise(drill, ground, scene))
  await scene.close()
  await place.remove()
  return rows
}

let before: Promise<unknown> = Promise.resolve()

/** Time is measured, so the databases take turns instead of getting in each other's way. */
export const office: Part = (drill, ground) => {
  const turn = before.then(() => promises(drill, ground))
  before = turn.catch((): Row[] => [])
  return turn
}
