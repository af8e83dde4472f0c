import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allRows } from '#server/test/database-rows.ts'
import { filledForm, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'

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
  const everything =
    Object.values(await allRows(site.db))
      .flat()
      .join('\n') + site.log()
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
  const ledger = await readFile(join(site.world.config.DATA_DIR, 'sandbox-payments.jsonl'), 'utf8')
  const withoutIds = ledger.replaceAll(/(?:sb|vault)_[\da-f-]+|"reference":"\w+"/g, '') // random ids may contain any digits
  expect(withoutIds).not.toMatch(/5555555555554444|9173/)
  await site.close()
})
