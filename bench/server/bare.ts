import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import pg from 'pg'

// The peer of the reads: Node's own HTTP server and `pg`, with Foyer's statements, and nothing around them.

type Row = Record<string, unknown>
export type Bare = {
  port: number
  database: string
  pool: number
  reads: Record<string, { statements: { text: string; values: unknown[] }[]; shape: keyof typeof shapes; html: string }>
}

const brotli = promisify(brotliCompress)
const cents = (number: unknown) => (Number(number) / 100).toFixed(2)

/** From rows to the very bytes that Foyer sends. */
const shapes = {
  sponsor: async ([rows]: Row[][]) => {
    const { site, active, name } = rows?.[0] ?? {}
    return JSON.stringify({ site, active: active ? 'Yes' : 'No', name })
  },
  packages: async ([rows]: Row[][]) =>
    JSON.stringify(
      rows?.map(({ product_id, name, description, image_url, price_cents, billing_interval, ...flags }) => ({
        ...{ product_id, name, description, image_url, price: cents(price_cents), billing_interval },
        ...{ is_recurring: flags.is_recurring, is_special: flags.is_special, ships: flags.ships },
      })),
    ),
  documents: async ([rows]: Row[][]) => JSON.stringify(rows),
  page: (_rows: Row[][], html: string) =>
    brotli(Buffer.from(html), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
}

const { port, database, pool: max, reads }: Bare = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const pool = new pg.Pool({ connectionString: database, max })

createServer(async (request, reply) => {
  const read = reads[request.url ?? '']
  if (!read) return reply.writeHead(404).end()
  const rows: Row[][] = []
  for (const { text, values } of read.statements) rows.push((await pool.query(text, values)).rows)
  const body = await shapes[read.shape](rows, read.html)
  reply.writeHead(200, {
    'content-type': read.html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(read.html ? { 'content-encoding': 'br' } : {}),
  })
  reply.end(body)
}).listen(port, '127.0.0.1')
