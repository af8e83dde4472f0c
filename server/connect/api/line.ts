import type * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import type { Line } from '#contract/connect/shapes.ts'
import type { Db } from '#server/db/db.ts'
import { refuseField } from '#server/refusal.ts'
import { endOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { cursorOf, listName, readCursor } from './cursor.ts'
import { noSuchMember } from './members.ts'
import { downFrom, type Person, upFrom } from './sponsor-history.ts'

/** The members above or below a member, as of any day. */

type Input = z.infer<ApiCalls['getLine']['params']> & z.infer<ApiCalls['getLine']['query']>
type LinePage = z.infer<typeof Line>
type Entry = LinePage['line'][number]

export async function getLine(world: World, input: Input): Promise<LinePage> {
  const { member_id, direction, depth, after, limit } = input
  const list = listName('getLine', { member_id, direction, depth, on: input.on })
  const cursor = readCursor<Cursor>(world, list, after)
  const as_of = cursor?.as_of ?? momentOf(world, input.on).toISOString()
  const view: View = { db: world.db, as_of, member_id, depth }
  await requireMember(view)
  const page = { member_id, direction, as_of }
  if (direction === 'up') return { ...page, ...(await above(view)) }
  const { entries, isAtEnd } = await below(view, cursor?.last_id, limit)
  const last = entries.at(-1)
  const next = !isAtEnd && last ? cursorOf<Cursor>(world, list, { as_of, last_id: last.member_id }) : undefined
  return { ...page, line: entries, ...(next ? { next } : {}) }
}

/** Later pages show the moment of the first one, so a move in between can't repeat or skip a member. */
type Cursor = { as_of: string; last_id: string }

type View = { db: Db; as_of: string; member_id: string; depth: number }

function momentOf(world: World, on: string | undefined): Date {
  const soon = new Date(world.now().getTime() + 1) // what happened in this millisecond counts
  if (!on) return soon
  if (on > todayOf(world)) throw refuseField('on', 'This day is in the future.')
  const end = endOfDay(world, on)
  return end < soon ? end : soon
}

async function requireMember({ db, as_of, member_id }: View) {
  const member = await db.selectFrom('member').select('joined_at').where('id', '=', member_id).executeTakeFirst()
  if (!member) throw noSuchMember()
  if (member.joined_at.toISOString() >= as_of) throw refuseField('on', 'This member joined after that day.')
}

const toEntry = ({ id, username, joined_at, erased_at, parent }: Person, depth: number): Entry => ({
  ...{ member_id: id, username, depth },
  ...(parent ? { sponsor_member_id: parent } : {}),
  ...{ joined_at: joined_at.toISOString(), is_erased: erased_at !== null },
})

/** Reads one more than `depth`, to know whether that's all. */
async function above({ db, as_of, member_id, depth }: View) {
  const rows = await upFrom(db, as_of, member_id, depth + 1)
  const isAll = rows.length <= depth + 1
  const top = isAll ? rows.at(-1)?.site : undefined
  const line = rows.slice(1, depth + 1).map((row) => toEntry(row, row.depth))
  return { line, ...(top ? { top: { site: top } } : {}) }
}

type Node = { person: Person; at: number; children?: Person[] }

/** How many members to read the next level of in one statement: few at first, because those may fill the page. */
const FIRST_BATCH = 4
const MAX_BATCH = 200

/** Each member comes before those below them, so a cursor only needs the last member. */
async function below(view: View, last_id: string | undefined, limit: number) {
  const entries: Entry[] = []
  const stack = await waitingAfter(view, last_id, limit + 1)
  for (let batch = FIRST_BATCH; stack.length && entries.length < limit; ) {
    const node = stack.pop() as Node
    entries.push(toEntry(node.person, node.at))
    if (node.at === view.depth) continue
    if (!node.children) {
      await readChildren(view, [node, ...unreadIn(stack, view, batch - 1)], limit - entries.length + 1)
      batch = Math.min(MAX_BATCH, batch * 2)
    }
    push(stack, node.children ?? [], node.at + 1)
  }
  return { entries, isAtEnd: stack.length === 0 }
}

/** Everyone still to come after a member: those below, the rest of their sponsor's, the rest of the sponsor above, and so on. */
async function waitingAfter({ db, as_of, member_id, depth }: View, last_id: string | undefined, limit: number) {
  const stack: Node[] = []
  const upwards = last_id ? await upFrom(db, as_of, last_id, depth) : []
  const path = upwards
    .slice(
      0,
      upwards.findIndex(({ id }) => id === member_id),
    )
    .reverse()
  const parents = [member_id, ...path.map(({ id }) => id)].slice(0, depth)
  const groups = await downFrom(
    db,
    as_of,
    parents.map((parent, n) => ({ parent, after: path[n] })),
    limit,
  )
  groups.forEach((people, n) => {
    push(stack, people, n + 1)
  })
  return stack
}

/** The first one ends up on top. */
const push = (stack: Node[], people: Person[], at: number) =>
  stack.push(...people.map((person) => ({ person, at })).reverse())

/** The next nodes whose children will be needed. */
const unreadIn = (stack: Node[], { depth }: View, count: number): Node[] =>
  stack
    .slice(-count)
    .reverse()
    .filter(({ at, children }) => at < depth && !children)

async function readChildren({ db, as_of }: View, nodes: Node[], limit: number) {
  const groups = await downFrom(
    db,
    as_of,
    nodes.map(({ person }) => ({ parent: person.id })),
    limit,
  )
  nodes.forEach((node, n) => {
    node.children = groups[n] ?? []
  })
}
