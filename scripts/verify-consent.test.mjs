// These bundles are made by hand, to test the script against the standard and not against our own server.
import { execFile } from 'node:child_process'
import { generateKeyPairSync, hash, sign } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verifyConsent } from './verify-consent.mjs'

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
const consent = {
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

function bundleOf({ head = header, payload = consent, key = ours } = {}) {
  const parts = { payload: encoded(payload), protected: encoded(head) }
  const signedBytes = Buffer.from(`${parts.protected}.${parts.payload}`)
  const signature = sign('sha256', signedBytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ ...parts, signature: signature.toString('base64url') })
}
const good = bundleOf()
const parts = JSON.parse(good)

const writeTemp = (name, content) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** Runs the script, and returns its output and exit code. */
const run = (args, script = 'scripts/verify-consent.mjs') =>
  new Promise((done) => {
    const command = [resolve(script), ...args]
    execFile(process.execPath, command, { cwd: folder }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

it('15.13 prints who accepted what and when, from a file and the public key', async () => {
  const { code, stdout } = await run([writeTemp('consent.json', good), writeTemp('keys.json', keySet)])
  expect(stdout).toContain(
    'This file has not been changed since https://join.example signed it on 2026-11-16 08:30:00 UTC',
  )
  expect(stdout).toContain('Zoë Miller (zoe), a member since 2026-11-15 12:00:00 UTC through Ana (/ana), accepted:')
  expect(stdout).toContain('Subscription consent, version 1')
  expect(stdout).toContain(hashOf(text))
  expect(code).toBe(0)
})

it('15.13 reads the key from a URL, and says if the URL comes from the file itself', async () => {
  const server = createServer((request, reply) =>
    reply.writeHead(request.url === '/.well-known/jwks.json' ? 200 : 404).end(keySet),
  )
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const file = writeTemp('served.json', bundleOf({ payload: { ...consent, issuer } }))
  const named = await run([file, `${issuer}/.well-known/jwks.json`])
  expect([named.code, named.stdout.includes('make sure')]).toEqual([0, false])
  const unnamed = await run([file])
  expect([unnamed.code, unnamed.stdout.includes('make sure')]).toEqual([0, true])
  expect((await run([file, `${issuer}/elsewhere`])).code).toBe(2)
  await new Promise((closed) => server.close(closed))
  expect(await run([file])).toMatchObject({ code: 2, stderr: expect.stringContaining('does not respond') })
})

/** Flips single bits of a text, one at a time, and returns the changes that were not detected. */
function undetected(text, check) {
  const changes = Array.from(text, (_, index) => index).flatMap((index) => [1, 2, 4, 32].map((bit) => ({ index, bit })))
  return changes.filter(({ index, bit }) => {
    try {
      check(text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ bit) + text.slice(index + 1))
      return true
    } catch (error) {
      return !['CheckFailed', 'Unreadable'].includes(error.constructor.name)
    }
  })
}

it('15.13 detects every changed byte of the file and of the key', () => {
  expect(() => verifyConsent(good, keySet)).not.toThrow()
  expect(undetected(good, (changed) => verifyConsent(changed, keySet))).toEqual([])
  expect(undetected(keySet, (changed) => verifyConsent(good, changed))).toEqual([])
})

const swapped = { ...consent, accepted: [{ ...consent.accepted[0], content: 'I agree to nothing.' }] }
const rehashed = {
  ...consent,
  accepted: [{ ...consent.accepted[0], content: 'I agree to nothing.', sha256: hashOf('I agree to nothing.') }],
}
const lastCharacter = parts.signature.at(-1)
const twin = String.fromCharCode(lastCharacter.charCodeAt(0) + 1) // differs only in bits that base64url does not use

it.each([
  [
    'a swapped text with a new hash',
    JSON.stringify({ ...parts, payload: encoded(rehashed) }),
    keySet,
    'signature is not valid',
  ],
  ['a swapped text that we had signed', bundleOf({ payload: swapped }), keySet, 'does not match its hash'],
  [
    'another key with its own id',
    bundleOf({ key: theirs, head: { ...header, kid: theirs.kid } }),
    keySet,
    'is not in the key set',
  ],
  ['another key with our id', bundleOf({ key: theirs }), keySet, 'signature is not valid'],
  [
    'a key set in which another key has our id',
    bundleOf({ key: theirs }),
    JSON.stringify({ keys: [{ ...theirs.jwk, kid: ours.kid }] }),
    'does not match its id',
  ],
  [
    'no signature at all',
    JSON.stringify({ ...parts, protected: encoded({ ...header, alg: 'none' }), signature: '' }),
    keySet,
    'Only ES256',
  ],
  ['a shared secret in index of the key', bundleOf({ head: { ...header, alg: 'HS256' } }), keySet, 'Only ES256'],
  ['a grant', bundleOf({ head: { ...header, typ: 'JWT' } }), keySet, 'not a consent'],
  [
    'a header with more fields',
    bundleOf({ head: { ...header, crit: ['b64'], b64: false } }),
    keySet,
    'exactly alg, kid and typ',
  ],
  ['an empty signature', JSON.stringify({ ...parts, signature: '' }), keySet, 'signature is not valid'],
  ['a signature in non-canonical base64url', good.replace(`${lastCharacter}"}`, `${twin}"}`), keySet, 'not canonical'],
  ['an additional field', JSON.stringify({ ...parts, note: 'void' }), keySet, 'added or rearranged'],
  ['a duplicate field', good.replace('{', '{"payload":"e30",'), keySet, 'added or rearranged'],
  ['added whitespace', JSON.stringify(parts, null, 1), keySet, 'added or rearranged'],
])('15.13 is not fooled by %s', async (_what, bundle, keys, sentence) => {
  const { code, stdout, stderr } = await run([writeTemp('doubtful.json', bundle), writeTemp('their-keys.json', keys)])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
})

it.each([
  ['no arguments', () => []],
  ['a file that is not there', () => [join(folder, 'nowhere.json'), writeTemp('keys.json', keySet)]],
  ['something else', () => [writeTemp('other.json', 'Dear Zoë'), writeTemp('keys.json', keySet)]],
  ['half a file', () => [writeTemp('half.json', good.slice(0, 300)), writeTemp('keys.json', keySet)]],
  [
    'bytes that are not text',
    () => [writeTemp('bytes.json', Buffer.from([0xff, 0xfe, 0x7b])), writeTemp('keys.json', keySet)],
  ],
  ['a key set without keys', () => [writeTemp('consent.json', good), writeTemp('keys.json', '{}')]],
])('15.13 exits with 2 for %s', async (_what, args) => {
  const { code, stdout, stderr } = await run(args())
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.split('\n')).toHaveLength(2)
})

it('15.13 a name cannot control the terminal', async () => {
  const member = { ...consent.member, first_name: 'Zoë\n\u001b[2JNothing was accepted' }
  const { stdout } = await run([
    writeTemp('loud.json', bundleOf({ payload: { ...consent, member } })),
    writeTemp('keys.json', keySet),
  ])
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toContain('Zoë [2JNothing was accepted Miller')
})

it('15.13 also works when it is called through a symlink', async () => {
  const other = join(folder, 'check.mjs')
  symlinkSync(resolve('scripts/verify-consent.mjs'), other)
  const { code } = await run(
    [writeTemp('doubtful.json', JSON.stringify({ ...parts, signature: '' })), writeTemp('keys.json', keySet)],
    other,
  )
  expect(code).toBe(1)
})
