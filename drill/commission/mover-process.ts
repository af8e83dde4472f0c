// One of two processes that change the same members at the same time.
import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import { seededRandom } from '../seeded-random.ts'
import { moveAround } from './mover.ts'

const { start, ...task } = JSON.parse(process.argv[2] ?? '')
const startedAt = performance.now()
const now = () => new Date(Date.parse(start) + performance.now() - startedAt)
const config = readConfig()
const world = await createWorld({ config, log: createLog('silent'), now })
const counts = await moveAround({ ...task, world, random: seededRandom(task.seed, task.n) })
await world.close()
console.log(JSON.stringify(counts))
