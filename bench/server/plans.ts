import type pg from 'pg'
import type { Noted } from './noting.ts'

/** What does not grow with the members: the operator's own, what a site needs once, and the database's catalogue. */
const SMALL = /^(?:package|legal_document|legal_text|server_key|built_file|sandbox_code|difference|kysely_.*|pg_.*)$/

type Node = { 'Node Type': string; 'Relation Name'?: string; Plans?: Node[] }
type Explained = { 'QUERY PLAN': { Plan: Node }[] }

type Scan = { table: string; text: string }

/**
 * Asks the database how it would do each statement, with these values and with any, and finds those that read all of a
 * table that grows.
 */
export async function scansOf(client: pg.Client, noted: Noted[]): Promise<{ looked: number; scans: Scan[] }> {
  const known = new Map(noted.filter(isPlanned).map((statement) => [statement.text, statement]))
  const scans: Scan[] = []
  for (const { text, values } of known.values()) {
    const plans = [await client.query<Explained>(`explain (format json) ${text}`, values), await anyPlan(client, text)]
    const tables = plans
      .flatMap(({ rows }) => rows)
      .flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scannedBy(Plan)))
    for (const table of new Set(tables)) scans.push({ table, text: text.replaceAll(/\s+/g, ' ').trim() })
  }
  return { looked: known.size, scans }
}

/** The plan that is made once and kept, whatever the values will be. */
async function anyPlan(client: pg.Client, text: string) {
  const many = new Set(text.match(/\$\d+/g)).size
  const nothing = many ? `(${Array.from({ length: many }, () => 'null')})` : ''
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare any_values as ${text}`)
  const plan = await client.query<Explained>(`explain (format json) execute any_values${nothing}`)
  await client.query('deallocate any_values; reset plan_cache_mode')
  return plan
}

const isPlanned = ({ text }: Noted) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text)

function scannedBy(node: Node): string[] {
  const table = node['Relation Name'] ?? ''
  const own = node['Node Type'] === 'Seq Scan' && !SMALL.test(table) ? [table] : []
  return [...own, ...(node.Plans ?? []).flatMap(scannedBy)]
}
