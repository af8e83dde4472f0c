import { OperatorError } from '#server/operator-error.ts'
import { dateCaptures } from '#server/payments/payments.ts'
import { type Context, findVolumes, madeMonths } from './commission.ts'
import { bydesign } from './engines/bydesign.ts'
import type { Engine, EngineRequest, IdOf } from './engines/engine.ts'
import { exigo } from './engines/exigo.ts'
import { membersAt } from './members.ts'
import { endedMonth } from './month.ts'
import { type OrderLine, orderLines } from './orders.ts'

const engines: Record<string, Engine> = { exigo, bydesign }
export const engineNames = Object.keys(engines)

/** The requests that would tell an engine about a month: who joined, then what was paid and taken back. Nothing is sent. */
export async function* dryRun(context: Context, name: string, engine_name: string): AsyncGenerator<EngineRequest> {
  const engine = engines[engine_name]
  if (!engine)
    throw new OperatorError(`There is no engine '${engine_name}'. The engines are ${engineNames.join(', ')}.`)
  const month = endedMonth(context, name)
  await dateCaptures(context)
  const idOf = await readIds(context, engine_name)
  for await (const member of membersAt(context, month))
    if (member.joined_at >= month.starts_at) yield* engine.member(member, idOf)
  const { find, missing } = await findVolumes(context, await madeMonths(context))
  for await (const lines of ordersOf(orderLines(context, month, find))) yield* engine.order(lines, idOf)
  if (missing.size) throw new OperatorError(`These prices have no volumes yet:\n  ${[...missing].sort().join('\n  ')}`)
}

type Lines = [OrderLine, ...OrderLine[]]

/** Groups consecutive lines of one order. */
async function* ordersOf(lines: AsyncGenerator<OrderLine>): AsyncGenerator<Lines> {
  let order: Lines | undefined
  for await (const line of lines) {
    const isSame = order?.[0].order_id === line.order_id && order[0].kind === line.kind && +order[0].at === +line.at
    if (order && isSame) order.push(line)
    else {
      if (order) yield order
      order = [line]
    }
  }
  if (order) yield order
}

/** The members' ids in an engine, from the connection with its name. */
async function readIds({ db }: Context, connection: string): Promise<IdOf> {
  const rows = await db
    .selectFrom('external_id')
    .select(['member_id', 'value'])
    .where('connection', '=', connection)
    .execute()
  const ids = new Map(rows.map(({ member_id, value }) => [member_id, value]))
  return (member_id) => ids.get(member_id) ?? `<id of ${member_id}>`
}
