import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#server/db/db.ts'
import { testDatabase } from '#server/test/database.ts'
import { loadFolder } from './load.ts'
import { seed } from './seed.ts'

let database: Database
let folder: string
beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'foyer-load-'))
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const now = new Date('2026-11-15T12:00:00Z')

/** Writes files into a new folder and loads it. */
let folders = 0
const load = async (files: Record<string, string | Buffer>, warn?: Parameters<typeof loadFolder>[3]) => {
  const dir = join(folder, String(folders++))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  return loadFolder(database.db, dir, now, warn)
}

const everything = async () => {
  const { db } = database
  return {
    sponsors: await db.selectFrom('sponsor').selectAll().orderBy('site').execute(),
    packages: await db
      .selectFrom('package')
      .selectAll()
      .where('withdrawn_at', 'is', null)
      .orderBy('product_id')
      .execute(),
    documents: await db.selectFrom('legal_document').selectAll().orderBy('id').execute(),
    claims: await db.selectFrom('claim').selectAll().orderBy('value').execute(),
  }
}

const document = (title: string, body: string) =>
  `<!--\nid: 77\ntitle: ${title}\nstatus: active\ndisplay_on_checkout: enrollment_page_checkout\n-->\n${body}\n`

it('9.4 loading the same folder twice changes nothing', async () => {
  const before = await everything()
  await seed(database.db, now)
  expect(await everything()).toEqual(before)
})

it('9.4 adds and updates the rows in the files and leaves the rest', async () => {
  const counts = await load({
    'sponsors.csv': 'site,name,active,renamed_to\nana,"Ana, renamed",No,\nnewone,New One,Yes,\n',
  })
  expect(counts).toEqual({ sponsors: 1 + 1, packages: 0, documents: 0 })
  const { sponsors } = await everything()
  expect(sponsors.find(({ site }) => site === 'ana')).toMatchObject({ name: 'Ana, renamed', active: false })
  expect(sponsors.find(({ site }) => site === 'newone')).toMatchObject({ active: true })
  expect(sponsors.find(({ site }) => site === 'bluepier')).toMatchObject({ active: true })
})

it('16.5 removes characters from names that would change the text direction', async () => {
  await load({ 'sponsors.csv': 'site,name,active,renamed_to\nturned,\u202eBest\u2066 Co,Yes,\n' })
  expect((await everything()).sponsors.find(({ site }) => site === 'turned')?.name).toBe('Best Co')
})

const PACKAGES =
  'product_id,product_category_id,language_id,name,description,price,renewal_price,billing_interval,is_recurring,is_special,ships,image_url,position'

it('9.4 a package is withdrawn and offered again by its status', async () => {
  const kit = async (status: string) => {
    await load({ 'packages.csv': `${PACKAGES},status\n71,17,1,Kit,,10.00,,once,No,No,No,/assets/x.svg,9,${status}\n` })
    return (await everything()).packages.map(({ product_id }) => product_id).includes(71)
  }
  expect([await kit(''), await kit('withdrawn'), await kit('withdrawn'), await kit('active')]).toEqual([
    ...[true, false, false, true],
  ])
  await load({ 'packages.csv': `${PACKAGES}\n72,17,1,Other,,10.00,,once,No,No,No,/assets/x.svg,9\n` })
  expect((await everything()).packages.map(({ product_id }) => product_id)).toEqual(expect.arrayContaining([71, 72]))
  await expect(kit('gone')).rejects.toThrow("packages.csv:2: status must be active or withdrawn, not 'gone'")
})

it('9.4 refuses to withdraw the last document for the checkout', async () => {
  const before = await everything()
  const withdrawn = before.documents.map(
    ({ id, title }) =>
      `<!--\nid: ${id}\ntitle: ${title}\nstatus: withdrawn\ndisplay_on_checkout: enrollment_page_checkout\n-->\n<p>x</p>\n`,
  )
  const files = Object.fromEntries(withdrawn.map((text, n) => [`documents/${n}.html`, text]))
  await expect(load(files)).rejects.toThrow(
    'documents: at least one must be active and list enrollment_page_checkout, or visitors cannot pay',
  )
  expect(await everything()).toEqual(before)
  await database.db.updateTable('legal_document').set({ status: 'withdrawn' }).execute()
  await load({ 'sponsors.csv': 'site,name,active,renamed_to\nfirstone,First One,Yes,\n' }) // files without documents are not refused
  await database.db.updateTable('legal_document').set({ status: 'active' }).execute()
})

it('9.4 reports every invalid line and loads nothing', async () => {
  const before = await everything()
  const bad = load({
    'sponsors.csv': [
      'site,name,active,renamed_to',
      'Bad-Site,Somebody,Yes,',
      'console,Somebody,Yes,',
      'good,Good One,Yes,',
      'good,Twice,Maybe,',
      'gone,,Yes,nowhere',
      'circle,Circle,Yes,harbor',
      'short,Short',
    ].join('\n'),
    'packages.csv': [
      PACKAGES,
      '70,17,1,Fine,,10.00,10.00,month,No,No,No,/assets/x.svg,9',
      'x,17,1,Bad,,10,1,yearly,No,No,Perhaps,https://elsewhere/x.svg,9',
    ].join('\n'),
    'documents/a.html': '<p>No header</p>',
    'documents/b.html': document('', '<script>alert(1)</script>'),
  })
  await expect(bad).rejects.toThrow(
    [
      'Nothing was loaded, because of these problems:',
      '  sponsors.csv:8: has 2 values, but the header has 4',
      "  sponsors.csv:2: site must be 1 to 60 lowercase letters, digits, hyphens, underscores and dots, and not like a file name, not 'Bad-Site'",
      "  sponsors.csv:3: site 'console' is a reserved word",
      "  sponsors.csv:5: active must be Yes or No, not 'Maybe'",
      '  sponsors.csv:6: name is missing',
      "  sponsors.csv:8: active must be Yes or No, not ''",
      "  packages.csv:3: price must have two decimals, such as 99.00, not '10'",
      "  packages.csv:3: billing_interval must be month, year or once, not 'yearly'",
      "  packages.csv:3: renewal_price must be empty or have two decimals, such as 99.00, not '1'",
      "  packages.csv:3: image_url must begin with /assets/, not 'https://elsewhere/x.svg'",
      "  packages.csv:3: product_id must be a whole number, not 'x'",
      "  packages.csv:3: ships must be Yes or No, not 'Perhaps'",
      '  documents/a.html:1: must begin with a comment that has id, title, status and display_on_checkout',
      '  documents/b.html: has no text',
      '  documents/b.html: title is missing',
      "  sponsors.csv:5: site 'good' appears twice",
      "  sponsors.csv:6: renamed_to 'nowhere' is not the site of a sponsor",
      "  sponsors.csv:7: renamed_to 'harbor' is itself renamed: use the last site",
    ].join('\n'),
  )
  expect(await everything()).toEqual(before)
})

it('9.4 reports every unreadable line and loads nothing', async () => {
  const before = await everything()
  const bad = load({
    'sponsors.csv': Buffer.from(
      'site,name,active,renamed_to\r\nlost,Zoë,Yes,\r\nfine,Zoe,Maybe,\r\nnil,Zo\0e,Yes,n\0\r\ntab,"Zoe\tand Max",Yes,\r\n',
      'latin1',
    ),
    'documents/a.html': Buffer.from(document('Café', '<p>Déjà</p>\n<p>vu</p>'), 'latin1'),
    'documents/b.html': document('Bell', '<p>\u0007</p>').replace('77', '78'),
  })
  await expect(bad).rejects.toThrow(
    [
      'Nothing was loaded, because of these problems:',
      '  sponsors.csv:2: is not UTF-8: save the file as UTF-8',
      '  sponsors.csv:4: has a control character',
      "  sponsors.csv:3: active must be Yes or No, not 'Maybe'",
      '  documents/a.html:3: is not UTF-8: save the file as UTF-8',
      '  documents/a.html:7: is not UTF-8: save the file as UTF-8',
      '  documents/b.html:7: has a control character',
      "  sponsors.csv:4: renamed_to 'n\uFFFD' is not the site of a sponsor",
    ].join('\n'),
  )
  expect(await everything()).toEqual(before)
})

it('9.4 accepts a BOM, CRLF and any file name', async () => {
  await load({
    'sponsors.csv': '\uFEFFsite,name,active,renamed_to\r\nzoe,Zoë Łukasz,Yes,\r\n',
    'documents/100%.html': `\uFEFF${document('Percent', '<p>Café</p>').replace('77', '78')}`,
    'documents/terms #2?.html': document('Number', '<p>Two</p>').replace('77', '79'),
  })
  const { sponsors, documents } = await everything()
  expect(sponsors.find(({ site }) => site === 'zoe')?.name).toBe('Zoë Łukasz')
  expect(documents.filter(({ id }) => [78, 79].includes(id)).map(({ title }) => title)).toEqual(['Percent', 'Number'])
})

it('9.4 does not ignore a file that exists but cannot be read', async () => {
  await expect(load({ documents: 'a file' })).rejects.toThrow('ENOTDIR')
})

it('9.4 reports a folder with nothing to load', async () => {
  await expect(load({ 'readme.txt': 'hello' })).rejects.toThrow(
    'there is no sponsors.csv, packages.csv or documents/*.html here',
  )
})

it('9.4 does not take a name from a visitor who is joining', async () => {
  await database.db
    .insertInto('enrollment')
    .values({ id: '00000000-0000-4000-8000-000000000001', created_at: now })
    .execute()
  await database.db
    .insertInto('claim')
    .values({ kind: 'username', value: 'joining', enrollment_id: '00000000-0000-4000-8000-000000000001' })
    .execute()
  const loading = load({ 'sponsors.csv': 'site,name,active,renamed_to\njoining,Somebody,Yes,\n' })
  await expect(loading).rejects.toThrow(
    "sponsors.csv:2: site 'joining' is reserved by a visitor who is joining right now",
  )
})

it('9.5 a changed document is a new version, and the old text stays', async () => {
  const versions = async () => {
    const row = await database.db.selectFrom('legal_document').selectAll().where('id', '=', 77).executeTakeFirst()
    const texts = await database.db
      .selectFrom('legal_text')
      .select('content')
      .where('content', 'like', '<p>Word%')
      .execute()
    return [row?.version, texts.map(({ content }) => content).sort()]
  }
  await load({ 'documents/words.html': document('Words', '<p>Word one</p>') })
  await load({ 'documents/words.html': document('Words', '<p>Word one</p>') })
  expect(await versions()).toEqual([1, ['<p>Word one</p>']])
  await load({ 'documents/words.html': document('Words', '<p onclick="x()">Word two</p><script>x()</script>') })
  expect(await versions()).toEqual([2, ['<p>Word one</p>', '<p>Word two</p>']])
})

it('9.11 warns of what is rarely meant, and loads it', async () => {
  const lines = [
    '81,17,1,Free Start,,0.00,10.00,month,No,No,No,/assets/packages/34.svg,9',
    '82,17,1,Lost Image,,10.00,,once,No,No,No,/assets/packages/none.svg,9',
    '83,19,1,Nobody Asks,,10.00,,once,No,No,No,/assets/packages/34.svg,9',
    '84,17,1,A Gift,,0.00,,once,No,Yes,No,/assets/packages/34.svg,9',
  ]
  const warnings: string[] = []
  const counts = await load({ 'packages.csv': [PACKAGES, ...lines, ''].join('\n') }, (where, warning) =>
    warnings.push(`${where}: ${warning}`),
  )
  expect(counts.packages).toBe(4)
  expect(warnings).toEqual([
    'packages.csv:2: price is 0.00: visitors join for free',
    'packages.csv:3: renewal_price is empty: members pay once and never again',
    'packages.csv:3: there is no image /assets/packages/none.svg: put it into web/public and build again',
    'packages.csv:4: no page asks for category 19 in language 1, only for category 17 in language 1',
  ])
})

it.each([
  [';', 'semicolons'],
  ['\t', 'tabs'],
])('9.11 a file with %j between its values is told what to change', async (separator, name) => {
  const bad = load({ 'sponsors.csv': `site,name,active,renamed_to\nkim,Kim,Yes,\n`.replaceAll(',', separator) })
  await expect(bad).rejects.toThrow(
    `the header has no site, name, active, renamed_to. Its values are separated by ${name}: save the file with commas`,
  )
})
