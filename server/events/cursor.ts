import { Refusal } from '#server/refusal.ts'

/**
 * Where a reader is. `since` is the position after which its epoch began: what came before is history that other epochs may
 * share.
 */
export type Cursor = { epoch: string; since: number; position: number }

export const writeCursor = ({ epoch, since, position }: Cursor): string =>
  Buffer.from(`${epoch}.${since}.${position}`).toString('base64url')

export function readCursor(text: string): Cursor {
  const parts = /^([\da-f-]{36})\.(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString())
  if (!parts)
    throw new Refusal(
      400,
      'This isn’t one of our cursors. Send a cursor that we returned, or none to start with the oldest event.',
    )
  const [, epoch = '', since, position] = parts
  return { epoch, since: Number(since), position: Number(position) }
}

/** An epoch of this database, oldest first. */
export type Epoch = { epoch: string; after_position: number }

/** The last position that a reader with this cursor and this database have in common. */
export function lastCommonPosition(cursor: Cursor, epochs: Epoch[], end: number): number {
  const index = epochs.findIndex(({ epoch }) => epoch === cursor.epoch)
  const later = epochs.slice(index + 1)
  if (index >= 0) return Math.min(cursor.position, end, ...later.map(({ after_position }) => after_position))
  const branches = epochs.slice(1).map(({ after_position }) => after_position) // any of them may be where it left
  return Math.min(cursor.position, cursor.since, end, ...branches)
}
