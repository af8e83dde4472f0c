import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Download } from '#server/http/download.ts'
import { joinedMember } from '#server/test/member.ts'
import { addMemberCopies } from '#server/test/member-copies.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import type { StaffSession } from '../access/session.ts'
import { exportMembers } from './member-export.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'America/New_York' })
  owner = await staffMember(site, 'owner')
  await joinedMember(site, {
    first_name: '=1+1',
    last_name: 'Ward, "Ed"',
    username: 'edward',
    mobile_phone: '+12025550143',
  })
  site.advance(60)
  await joinedMember(site, { username: 'joyok', sponsor_site_name: 'bluepier', mobile_phone: '+447400123456' })
})
afterAll(() => site.close())

const download = async (filter: Record<string, string> = {}) => owner.get(`members.csv?${new URLSearchParams(filter)}`)
const rowsOf = (body: string): Record<string, string>[] => parse(body, { bom: true, columns: true })
const newestActs = async (count: number) =>
  (await site.db.selectFrom('audit').select(['act', 'details']).orderBy('position', 'desc').limit(count).execute()).map(
    ({ act, details }) => [act, JSON.parse(details ?? '{}').after],
  )

describe('the export of members', () => {
  it('19.28 is the filter: a file with everyone who fits, named after the day', async () => {
    const reply = await download({ sort: 'oldest' })
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="members-2026-11-15.csv"',
      'cache-control': 'no-store',
    })
    expect(reply.body.startsWith('\ufeff')).toBe(true)
    expect(rowsOf(reply.body)).toMatchObject([
      {
        'First name': "'=1+1",
        'Last name': 'Ward, "Ed"',
        Username: 'edward',
        Membership: 'active',
        'Mobile phone': '1 (202) 555-0143',
        'Sponsor link': 'http://foyer.test/ana',
        Card: 'Visa 4242',
      },
      { Username: 'joyok', 'Mobile phone': '44 7400 123456', 'Sponsor link': 'http://foyer.test/bluepier' },
    ])
    expect(rowsOf((await download({ sponsor: 'bluepier' })).body).map(({ Username }) => Username)).toEqual(['joyok'])
    expect(rowsOf((await download({ search: 'ward' })).body).map(({ Username }) => Username)).toEqual(['edward'])
    expect(rowsOf((await download({ state: 'ended' })).body)).toEqual([])
  })

  it('19.28 is in the audit log with its filter and number of rows, and without the text of a search', async () => {
    await download({ search: 'ward', state: 'active' })
    expect(await newestActs(2)).toEqual([
      ['finish_export', { rows: 1, is_complete: true }],
      ['export_members', { state: 'active', has_search: true }],
    ])
  })

  it('19.28 is refused to other sites', async () => {
    const headers = { cookie: owner.cookie, 'sec-fetch-site': 'cross-site' }
    expect((await site.get('/api/console/members.csv', headers)).statusCode).toBe(403)
  })

  it('19.28 has everyone once however many there are, and stops when the browser has gone', async () => {
    await addMemberCopies(site.db, { username: 'joyok', last_name: 'Many', count: 1700 })
    const rows = rowsOf((await download()).body)
    expect(rows).toHaveLength(1702)
    expect(new Set(rows.map(({ Username }) => Username)).size).toBe(1702)
    const session = { staff: { id: owner.id, role: 'owner' } } as unknown as StaffSession
    const file = await exportMembers(site.world, {}, session)
    expect(file).toBeInstanceOf(Download)
    for await (const chunk of file.content) {
      expect(chunk.split('\r\n').length).toBeGreaterThan(100)
      break // as the stream does when the connection closes
    }
    expect((await newestActs(1))[0]).toEqual(['finish_export', { rows: 500, is_complete: false }])
    expect((await download({ search: 'many' })).statusCode).toBe(409)
  })
})
