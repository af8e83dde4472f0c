import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { ConsoleCall } from '#contract/console/permissions.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let owner: TestStaff
let member_id = ''
beforeAll(async () => {
  site = await testSite({ LIMIT_MEMBERS_READ: '8/3600' })
  owner = await staffMember(site, 'owner')
  await joinedMember(site)
  member_id = (await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()).id
})
afterAll(() => site.close())

const emailsTo = async (to: string) =>
  (await site.get(`/__outbox.json?to=${to}`)).json() as { subject: string; body: string }[]

it('19.84 a colleague who opens more members than a person would is stopped, and the owners are told once a day', async () => {
  const { get, email, id } = await staffMember(site, 'viewer')
  const pages = [
    'members',
    `members/${member_id}`,
    'members?search=a',
    'sponsors',
    'document-acceptances?document_id=1&version=1',
  ]
  const statuses: number[] = []
  for (const page of [...pages, ...pages]) statuses.push((await get(page)).statusCode)
  expect(statuses).toEqual([...Array(8).fill(200), 429, 429])
  expect((await get('today')).statusCode).toBe(200)
  expect((await owner.get('members')).statusCode).toBe(200)

  while (await runJobs(site.world));
  const [own, ...more] = await emailsTo(email)
  expect([own?.subject, more]).toEqual(['Too many member pages opened in the console', []])
  const [told] = await emailsTo(owner.email)
  expect(told?.body).toContain(`${email} opened 8 pages that show members in the console within about an hour.`)
  const events = await site.db
    .selectFrom('security_event')
    .select(['kind', 'details'])
    .where('staff_id', '=', id)
    .execute()
  expect(events).toEqual([{ kind: 'limit_tripped', details: expect.anything() }])

  site.advance(3601)
  expect((await (await staffMember(site, 'viewer')).get('members')).statusCode).toBe(200)
})

it('19.84 exporting many members one by one is stopped, too', async () => {
  const { post } = await staffMember(site, 'manager')
  const statuses: number[] = []
  for (let time = 0; time < 9; time++) statuses.push((await post('members/export', { member_id })).statusCode)
  expect(statuses).toEqual([...Array(8).fill(200), 429])
})

it('19.84 every call that shows members is counted', () => {
  const personal = ['first_name', 'mobile_phone', 'last_four', 'username']
  const uncounted = Object.entries<ConsoleCall>(consoleCalls)
    .filter(([, { output, showsMembers }]) => !showsMembers && fieldsOf(output).some((name) => personal.includes(name)))
    .map(([name]) => name)
  expect(uncounted).toEqual([])
})

/** The names of all fields in a schema, however deep. */
const fieldsOf = (schema: unknown): string[] =>
  JSON.stringify(z.toJSONSchema(schema as z.ZodMiniType, { unrepresentable: 'any' }))
    .match(/"\w+"(?=:)/g)
    ?.map((name) => name.slice(1, -1)) ?? []
