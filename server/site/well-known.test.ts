import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { consentBundle } from '#server/members/consent.ts'
import { mintGrant } from '#server/members/grant.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { freePort } from '../../scripts/port.mjs'

type Example = { verifyGrant: (token: string, isFirstUse: (jti: string) => Promise<boolean>) => Promise<string> }

const OFFICE_URL = 'https://office.example'
let site: Site
let member_id: string
const access = () => ({ id: member_id, access_version: 0 })
let example: Example
let folder: string

/** The site over a real port, and the guide's example, as an operator would copy it: only the address is filled in. */
beforeAll(async () => {
  const port = await freePort()
  const PUBLIC_URL = `http://127.0.0.1:${port}`
  site = await testSite({ PUBLIC_URL, OFFICE_URL })
  await site.app.listen({ port, host: '127.0.0.1' })
  await site.post('enrollment/add-enrollment', await filledForm(site))
  member_id = (await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()).id

  const [, code = ''] =
    /```js\n(import \{ createRemoteJWKSet[\s\S]*?)```/.exec(await readFile('docs/guides/your-own-office.md', 'utf8')) ??
    []
  folder = await mkdtemp(join('node_modules', '.guide-'))
  const file = join(process.cwd(), folder, 'example.mjs')
  await writeFile(file, code.replace('https://join.example', PUBLIC_URL))
  example = await import(file)
  vi.useFakeTimers({ toFake: ['Date'], now: site.world.now() })
})
afterAll(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
  await site.close()
})

/** An operator's table of used grants. */
const used = new Set<string>()
const isFirstUse = async (jti: string) => used.size < used.add(jti).size
const enter = (token: string) => example.verifyGrant(token.replaceAll('.', '~'), isFirstUse)

describe('the public key', () => {
  it('15.11 is at its well-known address, cached for five minutes, without the private key', async () => {
    const reply = await site.get('/.well-known/jwks.json')
    const { kid } = site.world.keys.signing
    expect(reply.json()).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid, alg: 'ES256', use: 'sig' }],
    })
    expect(reply.headers['cache-control']).toBe('public, max-age=300')
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('15.11 is there with our own office too', async () => {
    const withOurOffice = await testSite()
    expect((await withOurOffice.get('/.well-known/jwks.json')).json().keys).toHaveLength(1)
    await withOurOffice.close()
  })
})

describe('the operator’s own office, with the code from the guide', () => {
  it('15.11 admits the member of a grant, once', async () => {
    const { token, vo_url } = (await site.post('enrollment/add-enrollment', await filledForm(site))).json()
    expect(vo_url).toBe(OFFICE_URL)
    const newest = await site.db.selectFrom('member').select('id').where('id', '<>', member_id).executeTakeFirst()
    expect(await enter(token)).toBe(newest?.id)
    await expect(enter(token)).rejects.toThrow('used before')
  })

  const wrong: Record<string, () => string | Promise<string>> = {
    'for another office': () =>
      mintGrant({ ...site.world, config: { ...site.world.config, OFFICE_URL: 'https://elsewhere.example' } }, access()),
    'from another site': () =>
      mintGrant({ ...site.world, config: { ...site.world.config, PUBLIC_URL: 'https://elsewhere.example' } }, access()),
    'that has expired': () =>
      mintGrant({ ...site.world, now: () => new Date(site.world.now().getTime() - 61_000) }, access()),
    'whose member was changed': () => {
      const [head, body = '', signature] = mintGrant(site.world, access()).split('.')
      const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'another member' }
      return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    },
    'whose signature was changed': () => {
      const token = mintGrant(site.world, access())
      const index = token.length - 10
      return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1)
    },
    'without a signature': () =>
      new UnsecuredJWT().setIssuer(site.world.config.PUBLIC_URL).setAudience(OFFICE_URL).setSubject(member_id).encode(),
    'signed with the public key as a secret': () =>
      new SignJWT({ jti: 'x' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(site.world.config.PUBLIC_URL)
        .setAudience(OFFICE_URL)
        .setSubject(member_id)
        .setExpirationTime('1m')
        .sign(Buffer.from(JSON.stringify(site.world.keys.signing.publicJwk))),
    'that is a consent bundle': async () => {
      const { payload, protected: head, signature } = JSON.parse(await consentBundle(site.world, member_id))
      return `${head}.${payload}.${signature}`
    },
    'that is empty': async () => '',
  }
  it.each(Object.entries(wrong))('15.11 refuses a grant %s', async (_what, token) => {
    const before = used.size
    await expect(enter(await token())).rejects.toThrow()
    expect(used.size).toBe(before)
  })
})
