import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, realpath, rename, unlink, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '#server/operator-error.ts'

const MARKER = 'FOYER'
const OWNER_ONLY = 0o700

/**
 * Two processes on one embedded database corrupt it silently, so the first one listens on sockets named after the folder.
 * On Linux one of them vanishes with its process, however that ends; the other lies in the folder, so that containers
 * which share it see each other.
 */
export async function lockFolder(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: OWNER_ONLY })
  const locks: Server[] = []
  const unlock = async () => {
    await Promise.all(locks.map((lock) => new Promise((resolve) => lock.close(resolve))))
  }
  for (const path of lockPaths(await realpath(dataDir))) {
    const lock = (await listen(path)) ?? (await listenOnStale(path))
    if (!lock) {
      await unlock()
      throw new OperatorError(`Another Foyer is running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
    }
    locks.push(lock)
  }
  return unlock
}

/** A socket's path has little room; a folder too deep for it is locked on this machine only. */
const LONGEST_PATH = 100

function lockPaths(folder: string): string[] {
  const name = `foyer-${hash('sha256', folder, 'hex').slice(0, 32)}`
  if (process.platform === 'win32') return [`\\\\.\\pipe\\${name}`]
  const file = join(folder, 'lock')
  const inFolder = file.length <= LONGEST_PATH ? [file] : []
  return process.platform === 'linux' ? [`\0${name}`, ...inFolder] : [inFolder[0] ?? join(tmpdir(), `${name}.sock`)]
}

/** Nobody, when somebody else is listening there; any other trouble is trouble. */
const listen = (path: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: Error & { code?: string }) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(path, () => resolve(server.unref()))
  })

/** A socket file whose owner died is removed, and the lock tried again. */
async function listenOnStale(path: string): Promise<Server | undefined> {
  if (path.startsWith('\0') || !existsSync(path)) return undefined
  const alive = await new Promise<boolean>((resolve) => {
    const socket = createConnection(path, () => resolve(true)).on('error', () => resolve(false))
    socket.unref()
  })
  if (alive) return undefined
  await unlink(path)
  return listen(path)
}

/**
 * PGlite opens a folder that has lost its contents as a new, empty database. The marker says that there was one: then
 * emptiness is an error. Without the marker nothing was ever acknowledged, and what an interrupted first start left is
 * put aside. Its files may be read and written by everybody who gets into the folder: only the owner does. DATA_DIR itself,
 * if it was there before, may also be another's.
 */
export async function prepareFolder(dataDir: string): Promise<{ path: string; fresh: boolean }> {
  const path = join(dataDir, 'db')
  const marked = existsSync(join(dataDir, MARKER))
  const present = existsSync(join(path, 'PG_VERSION'))
  if (marked && !present)
    throw new OperatorError(
      `${dataDir} held a Foyer database, and it is gone. Restore ${path} from a backup, or remove ${join(dataDir, MARKER)} to start empty.`,
    )
  if (!marked && existsSync(path)) await rename(path, `${path}.unfinished-${process.pid}-${process.hrtime.bigint()}`)
  await mkdir(path, { recursive: true })
  await chmod(path, OWNER_ONLY).catch(() => undefined) // not every disk has modes
  return { path, fresh: !marked }
}

export const markAsDatabase = (dataDir: string): Promise<void> =>
  writeFile(join(dataDir, MARKER), 'This folder holds a Foyer database. Keep this file with it.\n')
