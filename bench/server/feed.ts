import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { API } from '#contract/api.ts'
import { apiCalls, MAX_EVENTS, V1 } from '#contract/connect/api.ts'
import { newKey } from '#server/connect/keys/key-format.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../part.ts'
import { formatNumber, formatSpread, quartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE, withClient } from './database.ts'
import { type Foyer, startFoyer } from './programs/programs.ts'

const { events_per_second } = budgets.feed

/** A reader that was away catches up, one full page after another. */
export const feed: Part = async ({ short, log, saveFigures }) => {
  const count = short ? 20_000 : 200_000
  const database = await createDatabase()
  const key = await addKey(database)
  const foyer = await startFoyer({ database, settings: { LIMIT_API: '1000000/60' } })
  log(`feed: ${formatNumber(count)} events get their positions …`)
  await writeEvents(database, count)
  const rates: number[] = []
  await readAll(foyer, key, count) // warm-up
  for (let round = 0; round < (short ? 3 : 9); round++) rates.push(await readAll(foyer, key, count))
  await foyer.stop()
  await database.remove()
  saveFigures('feed', { rates })
  const rate = quartiles(rates)
  return [
    {
      goal: 'events to one reader that was away',
      promise: `≥ ${formatNumber(events_per_second)}/s`,
      measured: `${formatNumber(rate.median)}/s`,
      beside: `${formatNumber(count)} events in pages of ${MAX_EVENTS}, with an API key, one process; ${DATABASE_NOTE}`,
      spread: formatSpread(rate, '/s'),
      ratio: rate.median / events_per_second,
      passed: rate.median >= events_per_second,
    },
  ]
}

async function addKey(database: Workspace): Promise<string> {
  const key = newKey()
  await withClient(database, (client) =>
    client.query(
      `insert into api_key (id, name, key_hash, ending, scopes, created_at) values ($1, 'bench', $2, $3, '{events:read}', $4)`,
      [randomUUID(), sha256(key), key.slice(-4), new Date()],
    ),
  )
  return key
}

/** As they are written, and then the worker gives them positions. */
const writeEvents = (database: Workspace, count: number) =>
  withClient(database, async (client) => {
    await client.query(
      `insert into new_event (id, type, version, member_id, at, payload)
        select gen_random_uuid(), 'payment.captured', 1, gen_random_uuid(), $2,
          jsonb_build_object('reference', md5(n::text), 'amount', '99.00', 'kind', 'renewal', 'period', n % 24)
        from generate_series(1, $1) n`,
      [count, new Date()],
    )
    for (;;) {
      const { rows } = await client.query('select 1 from new_event limit 1')
      if (!rows.length) return
      await sleep(200)
    }
  })

type Page = { events: unknown[]; cursor: string; has_more: boolean }

/** Events per second. */
async function readAll({ url }: Foyer, key: string, count: number): Promise<number> {
  const start = performance.now()
  let read = 0
  for (let after = ''; ; ) {
    const reply = await fetch(`${url}${API}${V1}${apiCalls.listEvents.path}?limit=${MAX_EVENTS}${after}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    if (!reply.ok) throw new Error(`The feed failed: ${reply.status} ${await reply.text()}`)
    const { events, cursor, has_more } = (await reply.json()) as Page
    read += events.length
    if (!has_more) break
    after = `&after=${cursor}`
  }
  if (read < count) throw new Error(`Of ${count} events, the feed had ${read}.`)
  return (read * 1000) / (performance.now() - start)
}
