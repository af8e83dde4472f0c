// A bundle made by hand, so that the script is held against the standard and not against our own server.
import { execFile } from 'node:child_process'
import { generateKeyPairSync, hash, sign } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verified } from './verify-consent.mjs'

const folder = mkdtempSync(join(tmpdir(), 'foyer-consent-'))
afterAll(() => rmSync(folder, { recursive: true }))

const hashOf = (text) => hash('sha256', text, 'hex')
const encoded = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const kid = hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
  return { privateKey, kid, jwk: { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' } }
}

const ours = newKey()
const theirs = newKey()
const keySet = JSON.stringify({ keys: [ours.jwk] })
const text = 'I agree that my card is charged $99.00 every month until I cancel.'
const said = {
  issuer: 'https://join.example',
  member: { username: 'zoe', first_name: 'Zoë', last_name: 'Miller', joined_at: '2026-11-15T12:00:00.000Z' },
  sponsor: { name: 'Ana', site: 'ana', record: 'a hash' },
  accepted: [
    {
      agreement: 'agreement_2',
      title: 'Subscription consent',
      version: 1,
      accepted_at: '2026-11-15T12:00:00.000Z',
      sha256: hashOf(text),
      content: text,
    },
  ],
  made_at: '2026-11-16T08:30:00.000Z',
}
const header = { alg: 'ES256', kid: ours.kid, typ: 'foyer-consent' }

function bundleOf({ head = header, payload = said, key = ours } = {}) {
  const parts = { payload: encoded(payload), protected: encoded(head) }
  const words = Buffer.from(`${parts.protected}.${parts.payload}`)
  const signature = sign('sha256', words, { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ ...parts, signature: signature.toString('base64url') })
}
const good = bundleOf()
const parts = JSON.parse(good)

const keep = (name, content) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** As a person runs it: what it prints, and how it ends. */
const run = (args, script = 'scripts/verify-consent.mjs') =>
  new Promise((done) => {
    const asked = [resolve(script), ...args]
    execFile(process.execPath, asked, { cwd: folder }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

it('15.13 says who accepted what and when, with a file and the public key', async () => {
  const { code, stdout } = await run([keep('consent.json', good), keep('keys.json', keySet)])
  expect(stdout).toContain(
    'Nothing in this file was changed since https://join.example signed it on 2026-11-16 08:30:00 UTC',
  )
  expect(stdout).toContain('Zoë Miller (zoe), a member since 2026-11-15 12:00:00 UTC through Ana (/ana), accepted:')
  expect(stdout).toContain('Subscription consent, version 1')
  expect(stdout).toContain(hashOf(text))
  expect(code).toBe(0)
})

it('15.13 takes the key from an address, and tells when the file itself named it', async () => {
  const server = createServer((request, reply) =>
    reply.writeHead(request.url === '/.well-known/jwks.json' ? 200 : 404).end(keySet),
  )
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const file = keep('served.json', bundleOf({ payload: { ...said, issuer } }))
  const named = await run([file, `${issuer}/.well-known/jwks.json`])
  expect([named.code, named.stdout.includes('make sure')]).toEqual([0, false])
  const unnamed = await run([file])
  expect([unnamed.code, unnamed.stdout.includes('make sure')]).toEqual([0, true])
  expect((await run([file, `${issuer}/elsewhere`])).code).toBe(2)
  await new Promise((closed) => server.close(closed))
  expect(await run([file])).toMatchObject({ code: 2, stderr: expect.stringContaining('does not answer') })
})

/** Each byte of a text changed, one at a time and in each of these bits: those that nobody noticed. */
function unnoticed(text, check) {
  const places = Array.from(text, (_, place) => place).flatMap((place) => [1, 2, 4, 32].map((bit) => ({ place, bit })))
  return places.filter(({ place, bit }) => {
    try {
      check(text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ bit) + text.slice(place + 1))
      return true
    } catch (error) {
      return !['Doubt', 'Unreadable'].includes(error.constructor.name)
    }
  })
}

it('15.13 finds every changed byte, of the file and of the key', () => {
  expect(() => verified(good, keySet)).not.toThrow()
  expect(unnoticed(good, (changed) => verified(changed, keySet))).toEqual([])
  expect(unnoticed(keySet, (changed) => verified(good, changed))).toEqual([])
})

const swapped = { ...said, accepted: [{ ...said.accepted[0], content: 'I agree to nothing.' }] }
const rehashed = {
  ...said,
  accepted: [{ ...said.accepted[0], content: 'I agree to nothing.', sha256: hashOf('I agree to nothing.') }],
}
const lastSign = parts.signature.at(-1)
const twin = String.fromCharCode(lastSign.charCodeAt(0) + 1) // differs only in bits that base64url does not use

it.each([
  [
    'a swapped text with a new hash',
    JSON.stringify({ ...parts, payload: encoded(rehashed) }),
    keySet,
    'signature does not fit',
  ],
  ['a swapped text that we had signed', bundleOf({ payload: swapped }), keySet, 'does not have the hash'],
  [
    'another key under its own name',
    bundleOf({ key: theirs, head: { ...header, kid: theirs.kid } }),
    keySet,
    'is not in the key set',
  ],
  ['another key under our name', bundleOf({ key: theirs }), keySet, 'signature does not fit'],
  [
    'a key set in which another key bears our name',
    bundleOf({ key: theirs }),
    JSON.stringify({ keys: [{ ...theirs.jwk, kid: ours.kid }] }),
    'not the one that its name says',
  ],
  [
    'no signature at all',
    JSON.stringify({ ...parts, protected: encoded({ ...header, alg: 'none' }), signature: '' }),
    keySet,
    'Only ES256',
  ],
  ['a shared secret in place of the key', bundleOf({ head: { ...header, alg: 'HS256' } }), keySet, 'Only ES256'],
  ['a grant', bundleOf({ head: { ...header, typ: 'JWT' } }), keySet, 'not a consent'],
  [
    'a header that asks for more',
    bundleOf({ head: { ...header, crit: ['b64'], b64: false } }),
    keySet,
    'exactly alg, kid and typ',
  ],
  ['an empty signature', JSON.stringify({ ...parts, signature: '' }), keySet, 'signature does not fit'],
  ['a signature spelled in another way', good.replace(`${lastSign}"}`, `${twin}"}`), keySet, 'not spelled'],
  ['a member beside the signed ones', JSON.stringify({ ...parts, note: 'void' }), keySet, 'added or rearranged'],
  ['a member that stands there twice', good.replace('{', '{"payload":"e30",'), keySet, 'added or rearranged'],
  ['spaces between', JSON.stringify(parts, null, 1), keySet, 'added or rearranged'],
])('15.13 is not fooled by %s', async (_what, bundle, keys, sentence) => {
  const { code, stdout, stderr } = await run([keep('doubtful.json', bundle), keep('their-keys.json', keys)])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
})

it.each([
  ['no file', () => []],
  ['a file that is not there', () => [join(folder, 'nowhere.json'), keep('keys.json', keySet)]],
  ['something else', () => [keep('other.json', 'Dear Zoë'), keep('keys.json', keySet)]],
  ['half a file', () => [keep('half.json', good.slice(0, 300)), keep('keys.json', keySet)]],
  ['bytes that are no text', () => [keep('bytes.json', Buffer.from([0xff, 0xfe, 0x7b])), keep('keys.json', keySet)]],
  ['a key set without keys', () => [keep('consent.json', good), keep('keys.json', '{}')]],
])('15.13 ends with 2 when it is handed %s', async (_what, args) => {
  const { code, stdout, stderr } = await run(args())
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.split('\n')).toHaveLength(2)
})

it('15.13 lets no name write on the screen', async () => {
  const member = { ...said.member, first_name: 'Zoë\n\u001b[2JNothing was accepted' }
  const { stdout } = await run([
    keep('loud.json', bundleOf({ payload: { ...said, member } })),
    keep('keys.json', keySet),
  ])
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toContain('Zoë [2JNothing was accepted Miller')
})

it('15.13 checks as well when it is called by another name', async () => {
  const other = join(folder, 'check.mjs')
  symlinkSync(resolve('scripts/verify-consent.mjs'), other)
  const { code } = await run(
    [keep('doubtful.json', JSON.stringify({ ...parts, signature: '' })), keep('keys.json', keySet)],
    other,
  )
  expect(code).toBe(1)
})
