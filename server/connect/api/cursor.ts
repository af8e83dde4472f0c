import { refuseField } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

type Context = Pick<World, 'keys'>

/** The list that a cursor belongs to: the call and its filters. No other list accepts it. */
export type ListName = string

export const listName = (call: string, filters: Record<string, unknown>): ListName =>
  JSON.stringify([
    call,
    ...Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ])

/** Where the next page begins, signed, so only our own cursors ever reach a query. */
export function cursorOf<Position>({ keys }: Context, list: ListName, position: Position): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${text}.${keys.hmac('api cursors', `${list} ${text}`)}`
}

export function readCursor<Position>({ keys }: Context, list: ListName, cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const dot = cursor.lastIndexOf('.')
  const text = cursor.slice(0, dot)
  if (!keys.isHmac('api cursors', `${list} ${text}`, cursor.slice(dot + 1)))
    throw refuseField(
      'after',
      'This cursor doesn’t belong to this list. Please pass `next` from the previous page with the same filters, or start over without a cursor.',
    )
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
}
