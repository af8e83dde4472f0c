import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Site, testSite } from '#server/test/site.ts'
import { storeBuiltFiles } from './built-files.ts'

const NAME = 'main-Ab12_-Cd.js'
const SCRIPT = `console.log('an earlier version')`

let site: Site
let folder: string
beforeAll(async () => {
  site = await testSite()
  folder = await mkdtemp(join(tmpdir(), 'foyer-built-'))
  await mkdir(join(folder, 'assets'))
  for (const name of [NAME, 'mark.svg']) {
    await writeFile(join(folder, 'assets', name), SCRIPT)
    await writeFile(join(folder, 'assets', `${name}.br`), brotliCompressSync(SCRIPT))
  }
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => storeBuiltFiles(site.world, folder))

const ask = (name: string, headers = {}) => site.get(`/assets/${name}`, headers)
const DAY = 86_400

it('8.8 a page of another version can load its script, compressed if the browser accepts that', async () => {
  const reply = await ask(NAME, { 'accept-encoding': 'gzip, br' })
  expect(reply.rawPayload).toEqual(brotliCompressSync(SCRIPT))
  expect(reply.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  })
  const plain = await ask(NAME)
  expect([plain.body, plain.headers['content-encoding']]).toEqual([SCRIPT, undefined])
})

it.each(['main-Zz12_-Cd.js', 'mark.svg', '..%2Fpage.json'])(
  '8.8 a file that is not stored is not found: %s',
  async (name) => expect((await ask(name)).statusCode).toBe(404),
)

it('8.8 a script that was changed in the database is not served', async () => {
  await site.db
    .updateTable('built_file')
    .set({ content: brotliCompressSync('steal()') })
    .execute()
  expect((await ask(NAME)).statusCode).toBe(404)
  expect(site.log()).toContain('ignored a script in the database whose signature is wrong')
  await site.db.updateTable('built_file').set({ seal: 'of other keys' }).execute()
  await storeBuiltFiles(site.world, folder)
  expect((await ask(NAME)).body).toBe(SCRIPT)
})

it('8.8 a script is deleted a month after the last process had it', async () => {
  site.advance(29 * DAY)
  await storeBuiltFiles(site.world, folder)
  await rm(join(folder, 'assets', NAME))
  await writeFile(join(folder, 'assets', 'main-Xy34_-Cd.js.br'), '')
  await writeFile(join(folder, 'assets', 'main-Xy34_-Cd.js'), '')
  site.advance(29 * DAY)
  await storeBuiltFiles(site.world, folder)
  expect((await ask(NAME)).statusCode).toBe(200)
  site.advance(2 * DAY)
  await storeBuiltFiles(site.world, folder)
  expect((await ask(NAME)).statusCode).toBe(404)
})
