import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { main as dbCommand } from '#server/cli/db.ts'
import { backup } from '#server/db/backup.ts'
import { runProgram, waitUntilReady } from '#server/test/process.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Backend } from '../site/backends.ts'
import { SHORT_DEADLINES, startSandbox, testSettings } from '../site/processes.ts'
import type { Arguments, Command } from './server.ts'

export type FeedSite = Awaited<ReturnType<typeof openFeedSite>>

/** A database, a bank, and Foyer with a feed, which can be killed and restored. */
export async function openFeedSite(backend: Backend, removesPositions: boolean) {
  const workspace = await backend.createWorkspace()
  const sandbox = await startSandbox(workspace)
  const [port, feedPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const feedUrl = `http://127.0.0.1:${feedPort}`
  const env = {
    ...testSettings,
    ...workspace.settings,
    ...SHORT_DEADLINES,
    PUBLIC_URL: url,
    PORT: String(port),
    PAYMENT_SANDBOX_URL: sandbox.url,
  }
  const given: Arguments = { feedPort, removesPositions }
  const start = async () => {
    const program = runProgram('drill/feed/server.ts', [JSON.stringify(given)], env)
    await waitUntilReady(program, `${url}/readyz`)
    return program
  }
  let program = await start()
  const end = async (signal: NodeJS.Signals) => {
    program.child.kill(signal)
    await program.ended
  }
  const withDatabase = async <Result>(
    work: (db: Awaited<ReturnType<typeof workspace.open>>['db']) => Promise<Result>,
  ) => {
    const database = await workspace.open()
    return work(database.db).finally(database.close)
  }
  const command = async <Result>(name: Command, subject = ''): Promise<Result> => {
    const reply = await fetch(`${feedUrl}/${name}`, { method: 'POST', body: JSON.stringify({ subject }) })
    if (!reply.ok) throw new Error(await reply.text())
    return (await reply.json()) as Result
  }
  const file = join(workspace.folder, 'backup.jsonl.gz')

  return {
    url,
    feedUrl,
    command,
    withDatabase,
    openDatabase: workspace.open,
    crash: async () => {
      await end('SIGKILL')
      program = await start()
    },
    stop: () => end('SIGTERM'),
    /** An embedded database can't be read from outside while Foyer runs on it. */
    backUp: async () => {
      if (backend.name === 'embedded') await end('SIGTERM')
      await withDatabase((db) => backup(db, file))
      if (backend.name === 'embedded') program = await start()
    },
    /** As an operator does it. */
    restore: async () => {
      await end('SIGKILL')
      for (const args of [
        ['reset', '--empty', '--yes'],
        ['restore', file],
      ])
        if (await dbCommand(args, { env })) throw new Error(`npm run db -- ${args.join(' ')} failed`)
      program = await start()
    },
    /** The cardholder's bank takes this payment back. */
    dispute: async (reference: string) => {
      const paid = (await sandbox.transactions()).find((line) => line.reference === reference)
      const body = JSON.stringify({ transaction_id: paid?.transaction_id, change: 'open' })
      await fetch(`${sandbox.url}/dispute`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      // The gateway may close an idle connection just then. Foyer would ask again an hour later.
      await command('compareBooks').catch(() => command('compareBooks'))
    },
    /** Until no payment is open, and then nothing more happens. */
    settle: async (maxSeconds: number) => {
      for (const end = performance.now() + maxSeconds * 1000; await command<number>('countOpen'); await sleep(200))
        if (performance.now() > end) throw new Error(`Payments were still open after ${maxSeconds} s.`)
      await command('rest')
    },
    close: async () => {
      await end('SIGKILL')
      await sandbox.kill()
      await workspace.remove()
    },
  }
}
