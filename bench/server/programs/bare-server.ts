import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import pg from 'pg'

// The peer of the reads: Node's HTTP server and `pg` with Foyer's statements, and nothing else.

type DatabaseRow = Record<string, unknown>
export type BareServerConfig = {
  port: number
  database: string
  pool: number
  /** By path. `html` is empty for JSON. */
  routes: Record<
    string,
    { statements: { text: string; values: unknown[] }[]; body: keyof typeof createBody; html: string }
  >
}

const brotli = promisify(brotliCompress)
const dollars = (cents: unknown) => (Number(cents) / 100).toFixed(2)

/** Turns rows into exactly the bytes that Foyer sends. */
const createBody = {
  sponsor: async ([rows]: DatabaseRow[][]) => {
    const { site, active, name } = rows?.[0] ?? {}
    return JSON.stringify({ site, active: active ? 'Yes' : 'No', name })
  },
  packages: async ([rows]: DatabaseRow[][]) =>
    JSON.stringify(
      rows?.map(
        ({ product_id, name, description, image_url, price_cents, renewal_cents, billing_interval, ...flags }) => ({
          product_id,
          name,
          description,
          image_url,
          price: dollars(price_cents),
          ...(renewal_cents ? { renewal_price: dollars(renewal_cents) } : {}),
          billing_interval,
          is_recurring: flags.is_recurring,
          is_special: flags.is_special,
          ships: flags.ships,
        }),
      ),
    ),
  documents: ([rows]: DatabaseRow[][]) => compress(JSON.stringify(rows)),
  page: (_rows: DatabaseRow[][], html: string) => compress(html),
}
const compress = (text: string) => brotli(Buffer.from(text), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })

const { port, database, pool: max, routes }: BareServerConfig = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const pool = new pg.Pool({ connectionString: database, max })

createServer(async (request, reply) => {
  const route = routes[request.url ?? '']
  if (!route) return reply.writeHead(404).end()
  const results: DatabaseRow[][] = []
  for (const { text, values } of route.statements) results.push((await pool.query(text, values)).rows)
  const body = await createBody[route.body](results, route.html)
  reply.writeHead(200, {
    'content-type': route.html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(typeof body === 'string' ? {} : { 'content-encoding': 'br' }),
  })
  reply.end(body)
}).listen(port, '127.0.0.1')
