import { Worker } from 'node:worker_threads'
import type { Ground, Place, Row, Scale } from '../../drill.ts'

/** What a thread can be told, and what it tells. */
export type Task = Pick<Place, 'folder' | 'settings'> & Pick<Scale, 'short'>
export type Told = { say: string } | { progress: string } | { row: Row }

/** In a thread of its own: memory is measured there, and the other database is drilled meanwhile. */
export async function flood(drill: Scale, ground: Ground): Promise<Row> {
  const { folder, settings, remove } = await ground.fresh()
  const workerData: Task = { folder, settings, short: drill.short }
  const thread = new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData })
  const row = await new Promise<Row>((resolve, reject) => {
    thread.on('message', (told: Told) => {
      if ('say' in told) drill.say(told.say)
      else if ('progress' in told) drill.progress(ground.name, told.progress)
      else resolve(told.row)
    })
    thread.on('error', reject)
    thread.on('exit', () => reject(new Error('The flood ended without a result.')))
  })
  await remove()
  return row
}
