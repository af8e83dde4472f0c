import type pg from 'pg'
import type { RecordedStatement } from './preload/record-statements.ts'

/** Tables that do not grow with the number of members, and the system catalog. */
const SMALL_TABLES =
  /^(?:package|legal_document|legal_text|legal_version|scheduled_document|server_key|built_file|sandbox_code|difference|breaker(?:_trip|_event)?|network_block|joining_pause|limit_refusal|brand(?:_logo)?|funnel_field|staff(?:_\w+)?|console_session|api_key|webhook_endpoint|new_event|feed(?:_epoch)?|audit_head|price_change|reconciliation_run|kysely_.*|pg_.*)$/

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; Plans?: PlanNode[] }
type ExplainRow = { 'QUERY PLAN': { Plan: PlanNode }[] }

export type TableScan = { table: string; text: string }

/** Finds statements that read all of a growing table, in the plan for their values or in the generic plan. */
export async function findTableScans(client: pg.Client, statements: RecordedStatement[]) {
  const byText = new Map(statements.filter(hasPlan).map((statement) => [statement.text, statement]))
  const scans: TableScan[] = []
  for (const { text, values } of byText.values()) {
    const plans = [
      await client.query<ExplainRow>(`explain (format json) ${text}`, values),
      await explainGeneric(client, text),
    ]
    const tables = plans
      .flatMap(({ rows }) => rows)
      .flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scannedTables(Plan)))
    for (const table of new Set(tables)) scans.push({ table, text: text.replaceAll(/\s+/g, ' ').trim() })
  }
  return { statementCount: byText.size, scans }
}

/** The plan that a prepared statement reuses for all values. */
async function explainGeneric(client: pg.Client, text: string) {
  const parameterCount = new Set(text.match(/\$\d+/g)).size
  const nulls = parameterCount ? `(${Array.from({ length: parameterCount }, () => 'null')})` : ''
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare any_values as ${text}`)
  const plan = await client.query<ExplainRow>(`explain (format json) execute any_values${nulls}`)
  await client.query('deallocate any_values; reset plan_cache_mode')
  return plan
}

const hasPlan = ({ text }: RecordedStatement) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text)

function scannedTables(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? ''
  const scanned = node['Node Type'] === 'Seq Scan' && !SMALL_TABLES.test(table) ? [table] : []
  return [...scanned, ...(node.Plans ?? []).flatMap(scannedTables)]
}
