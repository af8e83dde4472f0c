import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, realpath, rename, unlink, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the operator can do something about; shown as it is, without a stack. */
export class FolderProblem extends Error {}

const MARKER = 'FOYER'

/**
 * Two processes on one embedded database corrupt it silently, so the first one listens on a socket named after the
 * folder. The system frees it however the process ends.
 */
export async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true })
  const name = `foyer-${createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 32)}`
  const path = lockPath(name)
  const server = createServer((socket) => socket.destroy())
  const listen = () =>
    new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(path, () => resolve(true))
    })
  const held = (await listen()) || (await forget(path, listen))
  if (!held)
    throw new FolderProblem(`Another Foyer is running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** Linux has names that vanish with their process; elsewhere a file may stay behind. */
const lockPath = (name: string) =>
  ({ linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` })[process.platform as string] ?? join(tmpdir(), `${name}.sock`)

/** A socket file whose owner died is removed, and the lock tried again. */
async function forget(path: string, listen: () => Promise<boolean>): Promise<boolean> {
  if (!existsSync(path)) return false
  const alive = await new Promise<boolean>((resolve) => {
    const socket = createConnection(path, () => resolve(true)).on('error', () => resolve(false))
    socket.unref()
  })
  if (alive) return false
  await unlink(path)
  return listen()
}

/**
 * PGlite opens a folder that has lost its contents as a new, empty database. The marker says that there was one: then
 * emptiness is an error. Without the marker nothing was ever acknowledged, and what an interrupted first start left is
 * put aside.
 */
export async function prepareFolder(dataDir: string): Promise<{ path: string; fresh: boolean }> {
  const path = join(dataDir, 'db')
  const marked = existsSync(join(dataDir, MARKER))
  const present = existsSync(join(path, 'PG_VERSION'))
  if (marked && !present)
    throw new FolderProblem(
      `${dataDir} held a Foyer database, and it is gone. Restore ${path} from a backup, or remove ${join(dataDir, MARKER)} to start empty.`,
    )
  if (!marked && existsSync(path)) await rename(path, `${path}.unfinished-${process.pid}-${process.hrtime.bigint()}`)
  await mkdir(path, { recursive: true })
  return { path, fresh: !marked }
}

export const markFinished = (dataDir: string): Promise<void> =>
  writeFile(join(dataDir, MARKER), 'This folder holds a Foyer database. Keep this file with it.\n')
