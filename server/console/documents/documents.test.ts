import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DocumentPage } from '#contract/console/documents.ts'
import { FORM_CHANGED } from '#contract/console/permissions.ts'
import { documentsFingerprint, isShownAtCheckout } from '#contract/legal.ts'
import { publishScheduled } from '#server/catalog/documents.ts'
import { countScans, isPostgres } from '#server/test/database.ts'
import { joinedMember } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { siteWithTwin, type Twin } from '#server/test/twin.ts'
import { advanceClock } from '#server/worker/advance-clock.ts'
import { startWorker } from '#server/worker/worker.ts'

let site: Site
let twin: Twin
let owner: TestStaff
let close: () => Promise<void>
beforeAll(async () => {
  ;({ site, twin, owner, close } = await siteWithTwin({ TIME_ZONE: 'America/New_York' }))
})
afterAll(() => close())

const AGREEMENT = 3
const page = async (document_id = AGREEMENT): Promise<DocumentPage> =>
  (await owner.get(`documents/${document_id}`)).json()
const publish = async (changes: object, staff = owner) => {
  const { version, title } = await page()
  return staff.post('documents/publish', { document_id: AGREEMENT, version, title, ...changes })
}
type Shown = { id: number; content: string; version: number; sha256: string }
const shownBy = async (process: Pick<Twin, 'get'>): Promise<Shown | undefined> =>
  (await process.get('/api/enrollment/get-all-legal-documents')).json().find(({ id }: Shown) => id === AGREEMENT)

describe('documents', () => {
  it('19.55 the list has every document with its live version and how many accepted it', async () => {
    await joinedMember(site)
    const { documents } = (await owner.get('documents')).json()
    expect(documents).toHaveLength(5)
    expect(documents.find(({ id }: { id: number }) => id === AGREEMENT)).toMatchObject({
      title: 'Membership Agreement',
      version: 1,
      is_at_checkout: true,
      status: 'active',
      accepted: { count: 1, is_capped: false },
    })
    const quiet = documents.find(({ id }: { id: number }) => id === 4)
    expect([quiet.is_at_checkout, quiet.accepted.count]).toEqual([false, 0])
    expect((await owner.get('documents/99')).statusCode).toBe(404)
    expect((await owner.get('documents/x')).statusCode).toBe(422)
  })

  it('19.56 a new text is the next version with its own hash; the one before stays as it was', async () => {
    const before = await page()
    const reply = await publish({ content: '<p>New wording.</p>\r\n<script>alert(1)</script>' })
    expect(reply.statusCode, reply.body).toBe(200)
    const after: DocumentPage = reply.json()
    const content = '<p>New wording.</p>'
    const sha256 = hash('sha256', content, 'hex')
    expect(after).toMatchObject({ version: 2, content, sha256, accepted: { count: 0 } })
    expect(after.versions).toMatchObject([
      { version: 2, sha256, published_by: owner.email },
      { version: 1, sha256: before.sha256, accepted: { count: 1 } },
    ])
    const old = (await owner.get(`documents/${AGREEMENT}/versions/1`)).json()
    expect(old).toEqual({ title: before.title, content: before.content })
    const changed = (await owner.get(`documents/${AGREEMENT}/versions/2`)).json()
    expect(changed).toMatchObject({ content, before: { version: 1, content: before.content } })
    expect((await owner.get(`documents/${AGREEMENT}/versions/3`)).statusCode).toBe(404)
    const { rows } = (await owner.get('audit')).json()
    expect(rows[0]).toMatchObject({
      act: 'publish_document',
      subject_name: 'Membership Agreement',
      after: { version: 2, sha256 },
    })
  })

  it('19.56 the preview is what would be stored', async () => {
    const preview = (
      await owner.post('documents/preview', { content: ' <h2 onclick="x">A</h2><iframe></iframe>\n' })
    ).json()
    expect(preview).toEqual({ content: '<h2>A</h2>', sha256: hash('sha256', '<h2>A</h2>', 'hex') })
  })

  it('19.56 nothing is published without a text, without a change, or over a version that nobody saw', async () => {
    const { content, version, title } = await page()
    const same = await publish({ content })
    expect([same.statusCode, Object.keys(same.json().fields)]).toEqual([422, ['content']])
    const empty = await publish({ content: '<script>x</script>' })
    expect(empty.json().fields.content).toEqual(['Nothing of this text can be shown.'])
    expect((await publish({ content: ' ' })).json().fields.content).toEqual(['Please enter a text.'])
    const stale = await owner.post('documents/publish', {
      document_id: AGREEMENT,
      version: version - 1,
      title,
      content: '<p>Other</p>',
    })
    expect([stale.statusCode, stale.json().message]).toEqual([
      FORM_CHANGED,
      'Someone else saved this form while you were editing it.',
    ])
    expect((await page()).version).toBe(version)
  })

  it('19.56 two who publish at the same time make one version', async () => {
    const { version } = await page()
    const replies = await Promise.all(['<p>One</p>', '<p>Two</p>'].map((content) => publish({ content })))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, FORM_CHANGED])
    expect((await page()).version).toBe(version + 1)
  })

  it('19.56 a visitor who has the old text on the screen must agree to the new one before anything is charged', async () => {
    const form = await filledForm(site)
    const shown: Shown[] = (await site.get('/api/enrollment/get-all-legal-documents')).json()
    const shown_texts = shown
      .filter(({ id }) => id <= AGREEMENT)
      .map(({ sha256 }) => sha256)
      .sort()
      .join(',')
    await publish({ content: '<p>Changed under way.</p>' })
    const reply = await site.post('enrollment/add-enrollment', { ...form, shown_texts })
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, ['agreement_1']])
  })

  it('19.56 a title alone is a new version, too', async () => {
    const { version, content } = await page()
    const after: DocumentPage = (await publish({ content, title: 'Agreement' })).json()
    expect([after.version, after.title]).toEqual([version + 1, 'Agreement'])
    await joinedMember(site)
    expect((await page()).accepted.count).toBe(1)
  })

  it('19.55 who accepted a version is a list in pages', async () => {
    const { version, sha256, title } = await page()
    await addAcceptances({ version, sha256, title, count: 120 })
    const seen: string[] = []
    let after: string | undefined
    do {
      const query = new URLSearchParams({ document_id: '3', version: String(version), ...(after ? { after } : {}) })
      const { members, next } = (await owner.get(`document-acceptances?${query}`)).json()
      seen.push(...members.map(({ id }: { id: string }) => id))
      after = next
    } while (after)
    expect([seen.length, new Set(seen).size]).toEqual([121, 121])
    expect((await owner.get('document-acceptances?document_id=3&version=99')).statusCode).toBe(404)
    expect((await owner.get('document-acceptances?document_id=3&version=1&after=x')).statusCode).toBe(422)
  })

  it.runIf(isPostgres)('19.55 lists and counts of acceptances follow an index', async () => {
    const { version, sha256, title } = await page()
    await addAcceptances({ version: version + 50, sha256, title, count: 3000 })
    await sql`vacuum analyze`.execute(site.db)
    const scans = () => countScans(site.db, ['acceptance'])
    const before = await scans()
    await owner.get('documents')
    await owner.get(`document-acceptances?document_id=3&version=${version}`)
    expect(await scans()).toEqual(before)
  })
})

describe('a scheduled document', () => {
  it('19.57 becomes live by itself on its day, in the operator’s time zone, in every process', async () => {
    const { version, content } = await page()
    const reply = await publish({ content: '<p>From Monday on.</p>', publish_on: '2026-11-16' })
    expect(reply.json().scheduled).toMatchObject({
      content: '<p>From Monday on.</p>',
      publish_at: '2026-11-16T05:00:00.000Z',
      scheduled_by: owner.email,
    })
    expect((await publish({ content: '<p>Sooner</p>' })).json().message).toBe(
      'Another text is scheduled. Take it back first.',
    )
    const worker = startWorker(twin.world)
    try {
      expect(await shownBy(site)).toMatchObject({ version, content })
      site.advance((Date.parse('2026-11-16T05:00:00Z') - site.world.now().getTime()) / 1000)
      for (const process of [site, twin])
        await expect
          .poll(() => shownBy(process))
          .toMatchObject({ version: version + 1, content: '<p>From Monday on.</p>' })
    } finally {
      await worker.stop()
    }
    owner = await staffMember(site, 'owner')
    const after = await page()
    expect([after.version, after.scheduled, after.versions[0]?.published_by]).toMatchObject([
      version + 1,
      undefined,
      /owner/,
    ])
  })

  it('19.57 is published once, however many processes see that it is due', async () => {
    const { version } = await page()
    await publish({ content: '<p>Tuesday</p>', publish_on: '2026-11-17' })
    site.advance(2 * 86_400)
    await Promise.all([site, twin, site, twin].map(({ world }) => publishScheduled(world)))
    owner = await staffMember(site, 'owner')
    expect((await page()).version).toBe(version + 1)
  })

  it('19.57 can be taken back, and its day lies ahead', async () => {
    const late = await publish({ content: '<p>Late</p>', publish_on: '2026-11-01' })
    expect(late.json().fields.publish_on).toEqual(['Please choose a day after today.'])
    const { version } = await page()
    await publish({ content: '<p>Never</p>', publish_on: '2026-12-24' })
    const back = await owner.post('documents/unschedule', { document_id: AGREEMENT })
    expect([back.statusCode, back.json().scheduled]).toEqual([200, undefined])
    expect((await owner.post('documents/unschedule', { document_id: AGREEMENT })).statusCode).toBe(409)
    site.advance(60 * 86_400)
    expect(await publishScheduled(site.world)).toBe(0)
    owner = await staffMember(site, 'owner')
    expect((await page()).version).toBe(version)
    const { rows } = (await owner.get('audit')).json()
    const actions = rows.map(({ act }: { act: string }) => act)
    expect(actions).toEqual(expect.arrayContaining(['schedule_document', 'unschedule_document']))
  })

  it('19.57 becomes live on the turned clock, at its own time', async () => {
    const turned = await testSite({ TIME_ZONE: 'UTC', DATABASE_URL: '' })
    const { testClock } = turned.world
    if (!testClock) throw new Error('The clock of this site cannot be turned.')
    const staff = await staffMember(turned, 'owner')
    const { version, title } = (await staff.get('documents/3')).json()
    const reply = await staff.post('documents/publish', {
      document_id: 3,
      version,
      title,
      content: '<p>December</p>',
      publish_on: '2026-12-01',
    })
    expect(reply.statusCode, reply.body).toBe(200)
    await advanceClock(turned.world, testClock, new Date('2026-12-03T12:00:00Z'))
    const { published_at, sha256 } = await turned.db
      .selectFrom('legal_version')
      .select(['published_at', 'sha256'])
      .where('document_id', '=', 3)
      .orderBy('version', 'desc')
      .executeTakeFirstOrThrow()
    expect([published_at?.toISOString().slice(0, 16), sha256]).toEqual([
      '2026-12-01T00:00',
      hash('sha256', '<p>December</p>', 'hex'),
    ])
    await turned.close()
  })
})

type Accepted = { version: number; sha256: string; title: string; count: number }

/** Copies of a member who has accepted a version, written directly. */
async function addAcceptances({ version, sha256, title, count }: Accepted) {
  await sql`
    with made as (
      insert into enrollment (id, created_at) select gen_random_uuid(), cast('2026-01-01' as timestamptz)
      from generate_series(1, ${sql.lit(count)}) returning id),
    members as (
      insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name,
        business_name, mobile_phone, address, address2, city, country, state, post_code, joined_at)
      select gen_random_uuid(), made.id, one.sponsor_id, one.level, 'copy' || made.id, 'copy@mail.example', '', 'Copy', 'Copy', '',
        '+19990000000', '', '', '', '', '', '', one.joined_at
      from made, (select * from member limit 1) one returning id)
    insert into acceptance (member_id, agreement, title, version, sha256, accepted_at)
    select id, 'agreement_1', ${title}, ${version}, ${sha256}, cast('2026-11-14' as timestamptz) from members`.execute(
    site.db,
  )
}

describe('the list of documents', () => {
  const titles = async (process: Pick<Twin, 'get'> = twin) =>
    (await process.get('/api/enrollment/get-all-legal-documents'))
      .json()
      .filter(isShownAtCheckout)
      .map(({ title }: { title: string }) => title)
  const reason = 'replaced'

  it('19.59 gets a new document, which visitors accept from then on, in every process', async () => {
    const form = await filledForm(site)
    const reply = await owner.post('documents/add', {
      title: 'House Rules',
      content: '<p>Be kind.</p><script>x</script>',
    })
    expect(reply.statusCode, reply.body).toBe(200)
    const added: DocumentPage = reply.json()
    expect(added).toMatchObject({
      title: 'House Rules',
      version: 1,
      content: '<p>Be kind.</p>',
      is_at_checkout: true,
      versions: [{ version: 1, published_by: owner.email, accepted: { count: 0 } }],
    })
    expect(await titles()).toContain('House Rules')
    const documents = (await site.get('/api/enrollment/get-all-legal-documents')).json().filter(isShownAtCheckout)
    const old = documentsFingerprint(documents.filter(({ id }: Shown) => id !== added.id))
    const stale = await site.post('enrollment/add-enrollment', { ...form, shown_texts: old })
    expect([stale.statusCode, Object.keys(stale.json().fields)], stale.body).toEqual([422, ['agreement_1']])
    const { username } = await joinedMember(site)
    expect(await acceptedBy(username)).toContain('House Rules')
    for (const body of [
      { title: ' ', content: '<p>Text</p>' },
      { title: 'house rules', content: '<p>Text</p>' },
      { title: 'Empty', content: '<script>x</script>' },
    ])
      expect((await owner.post('documents/add', body)).statusCode, body.title).toBe(422)
  })

  it('19.59 two who add at the same time add two', async () => {
    const replies = await Promise.all(
      ['One', 'Two'].map((title) => owner.post('documents/add', { title, content: `<p>${title}</p>` })),
    )
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(new Set(replies.map((reply) => reply.json().id)).size).toBe(2)
    for (const reply of replies) await owner.post('documents/withdraw', { document_id: reply.json().id, reason })
    expect((await titles()).includes('One')).toBe(false)
  })

  it('19.60 loses one that is withdrawn, with a reason; what members accepted stays', async () => {
    const { documents } = (await owner.get('documents')).json()
    const { id: document_id } = documents.find(({ title }: { title: string }) => title === 'House Rules')
    expect((await owner.post('documents/withdraw', { document_id })).json().fields.reason).toEqual(['Please say why.'])
    const withdrawn = await owner.post('documents/withdraw', { document_id, reason })
    expect(withdrawn.json(), withdrawn.body).toMatchObject({
      status: 'withdrawn',
      is_at_checkout: false,
      accepted: { count: 1 },
    })
    expect(await titles()).not.toContain('House Rules')
    const { username } = await joinedMember(site)
    expect(await acceptedBy(username)).not.toContain('House Rules')
    expect((await owner.post('documents/withdraw', { document_id, reason })).statusCode).toBe(409)
    expect((await owner.post('documents/restore', { document_id })).json()).toMatchObject({
      status: 'active',
      version: 1,
    })
    expect(await titles()).toContain('House Rules')
    expect((await owner.post('documents/restore', { document_id })).statusCode).toBe(409)
    expect((await owner.post('documents/withdraw', { document_id: 99, reason })).statusCode).toBe(404)
    const actions = (await owner.get('audit')).json().rows.map(({ act }: { act: string }) => act)
    expect(actions).toEqual(expect.arrayContaining(['add_document', 'withdraw_document', 'restore_document']))
  })

  it('19.60 keeps its last document, even if two are withdrawn at the same time', async () => {
    const { documents } = (await owner.get('documents')).json()
    const shown: { id: number }[] = documents.filter(({ is_at_checkout }: DocumentPage) => is_at_checkout)
    const withdraw = ({ id }: { id: number }) => owner.post('documents/withdraw', { document_id: id, reason })
    for (const document of shown.slice(2)) expect((await withdraw(document)).statusCode).toBe(200)
    const replies = await Promise.all(shown.slice(0, 2).map(withdraw))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    expect(replies.find(({ statusCode }) => statusCode === 409)?.json().message).toBe(
      'This is the last document that visitors accept. Add another one first.',
    )
    expect(await titles()).toHaveLength(1)
  })
})

const acceptedBy = async (username: string) =>
  (
    await site.db
      .selectFrom('acceptance')
      .innerJoin('member', 'member.id', 'member_id')
      .select('title')
      .where('username', '=', username)
      .execute()
  ).map(({ title }) => title)
