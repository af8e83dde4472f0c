import { Worker } from 'node:worker_threads'
import type { DrillRun, ReportRow } from '../../drill.ts'
import type { Backend } from '../../site/backends.ts'
import type { Workspace } from '../../site/workspace.ts'

/** The input and the messages of the worker thread. */
export type FuzzTask = Pick<Workspace, 'folder' | 'settings'> & Pick<DrillRun, 'short'>
export type WorkerMessage = { line: string } | { progress: string } | { row: ReportRow }

/** Runs in a thread of its own, because it measures memory while the other database is drilled. */
export async function fuzz(run: DrillRun, backend: Backend): Promise<ReportRow> {
  const { folder, settings, remove } = await backend.createWorkspace()
  const workerData: FuzzTask = { folder, settings, short: run.short }
  const thread = new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData })
  const row = await new Promise<ReportRow>((resolve, reject) => {
    thread.on('message', (message: WorkerMessage) => {
      if ('line' in message) run.print(message.line)
      else if ('progress' in message) run.showProgress(backend.name, message.progress)
      else resolve(message.row)
    })
    thread.on('error', reject)
    thread.on('exit', () => reject(new Error('The fuzz worker ended without a result.')))
  })
  await remove()
  return row
}
