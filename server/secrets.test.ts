import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { runJobs } from './jobs.ts'
import { filledForm, testSite } from './test/site.ts'

it('4.15 leaves no card number, CVC or password in any table or in the log', async () => {
  const site = await testSite()
  const pay = async (changes: Record<string, string>) =>
    site.post('enrollment/add-enrollment', await filledForm(site, changes))
  const secrets = { cc_number: '5555 5555 5555 4444', cc_cvv: '9173', password: 'Very-Secret-77' }
  await pay(secrets)
  await pay({ ...secrets, cc_number: '4000 0000 0000 0002' })
  await pay({ ...secrets, cc_number: '4000 0000 0000 0119' })
  await pay({ ...secrets, username: 'no spaces' })
  while (await runJobs(site.world));
  const tables = await sql<{ table_name: string }>`
    select table_name from information_schema.tables where table_schema = 'public'`.execute(site.db)
  const rows = await Promise.all(
    tables.rows.map(({ table_name }) =>
      sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table_name)} t`.execute(site.db),
    ),
  )
  const everything = rows.flatMap((table) => table.rows.map(({ row }) => row)).join('\n') + site.log()
  expect(everything).toContain('Zoë')
  for (const secret of [
    '5555555555554444',
    '5555 5555',
    '4000000000000002',
    '4000000000000119',
    '"9173"',
    'Very-Secret-77',
  ])
    expect(everything).not.toContain(secret)
  const told = await readFile(join(site.world.config.DATA_DIR, 'sandbox-payments.jsonl'), 'utf8')
  const unnamed = told.replaceAll(/(?:sb|vault)_[\da-f-]+|"reference":"\w+"/g, '') // names made at random may hold any digits
  expect(unnamed).not.toMatch(/5555555555554444|9173/)
  await site.close()
})
