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
 * Two processes on one embedded database corrupt it silently, so the first listens on sockets named after the folder.
 * On Linux, one socket is abstract and vanishes with its process. The other is a file in the folder, so that containers
 * that share the folder see each other.
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
      throw new OperatorError(`Another Foyer process is using ${dataDir}. Stop it first, or choose another DATA_DIR.`)
    }
    locks.push(lock)
  }
  return unlock
}

/** The path of a socket is limited. A folder with a longer path is only locked on this machine. */
const MAX_SOCKET_PATH = 100

function lockPaths(folder: string): string[] {
  const name = `foyer-${hash('sha256', folder, 'hex').slice(0, 32)}`
  if (process.platform === 'win32') return [`\\\\.\\pipe\\${name}`]
  const file = join(folder, 'lock')
  const inFolder = file.length <= MAX_SOCKET_PATH ? [file] : []
  return process.platform === 'linux' ? [`\0${name}`, ...inFolder] : [inFolder[0] ?? join(tmpdir(), `${name}.sock`)]
}

/** Undefined if another process is listening there. */
const listen = (path: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: Error & { code?: string }) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(path, () => resolve(server.unref()))
  })

/** Removes a socket file whose process has died, and tries again. */
async function listenOnStale(path: string): Promise<Server | undefined> {
  if (path.startsWith('\0') || !existsSync(path)) return undefined
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = createConnection(path, () => resolve(true)).on('error', () => resolve(false))
    socket.unref()
  })
  if (isAlive) return undefined
  await unlink(path)
  return listen(path)
}

/**
 * PGlite would open an emptied folder as a new database. A marker file records that there was one, so that this is an error.
 * Without the marker, the first start was interrupted before it stored any data, and its files are moved aside.
 * Only the owner may enter the folder, because PGlite's files are readable by everyone.
 */
export async function prepareFolder(dataDir: string): Promise<{ path: string; fresh: boolean }> {
  const path = join(dataDir, 'db')
  const isMarked = existsSync(join(dataDir, MARKER))
  const isPresent = existsSync(join(path, 'PG_VERSION'))
  if (isMarked && !isPresent)
    throw new OperatorError(
      `The Foyer database in ${dataDir} is gone. Restore ${path} from a backup, or remove ${join(dataDir, MARKER)} to start empty.`,
    )
  if (!isMarked && existsSync(path)) await rename(path, `${path}.unfinished-${process.pid}-${process.hrtime.bigint()}`)
  await mkdir(path, { recursive: true })
  await chmod(path, OWNER_ONLY).catch(() => undefined) // some file systems have no modes
  return { path, fresh: !isMarked }
}

export const markAsDatabase = (dataDir: string): Promise<void> =>
  writeFile(join(dataDir, MARKER), 'This folder holds a Foyer database. Do not remove this file.\n')
