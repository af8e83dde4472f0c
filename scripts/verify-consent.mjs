// npm run verify-consent -- FILE [KEYS]: verifies a signed consent.
// FILE is the consent.json from an email or from the office. KEYS is the public key set: a file, or a URL of the company
// that signed it. Without KEYS, the URL named in FILE is used. Needs only Node.
// Exit code: 0 if every check passes, 1 if one fails, 2 if something cannot be read.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const WELL_KNOWN = '/.well-known/jwks.json'

/** A check failed. */
class CheckFailed extends Error {}
/** The file or the key set could not be read. */
class Unreadable extends Error {}

/** What was accepted, by whom and when. Throws CheckFailed if a check fails. */
export function verifyConsent(bundle, keySet) {
  const signed = parseJson(bundle, 'The file')
  const { header, payload } = decodeBundle(bundle, signed)
  const key = keyFor(header, parseJson(keySet, 'The key set'))
  const signedBytes = Buffer.from(`${signed.protected}.${signed.payload}`)
  const signature = decodeBase64url(signed.signature, 'signature')
  if (!verify('sha256', signedBytes, { key, dsaEncoding: 'ieee-p1363' }, signature))
    throw new CheckFailed('The signature is not valid: the content was changed, or another key signed it.')
  const consent = parseJson(payload, 'The signed content')
  for (const { title, content, sha256 } of consent.accepted)
    if (createHash('sha256').update(content).digest('hex') !== sha256)
      throw new CheckFailed(`The text of "${title}" does not match its hash.`)
  return { ...consent, kid: header.kid }
}

/** Accepts only the exact form in which the bundle was made, so that no byte can be changed unnoticed. */
function decodeBundle(bundle, signed) {
  const { payload, signature, protected: head } = signed
  if ([payload, signature, head].some((part) => typeof part !== 'string'))
    throw new CheckFailed('The file is not a signed consent: payload, protected or signature is missing.')
  if (bundle.trimEnd() !== JSON.stringify({ payload, protected: head, signature }))
    throw new CheckFailed('The file is not in its original form: something was added or rearranged.')
  const header = parseJson(decodeBase64url(head, 'header'), 'The signed header')
  if (Object.keys(header).sort().join() !== 'alg,kid,typ')
    throw new CheckFailed('The signed header must contain exactly alg, kid and typ.')
  if (header.alg !== 'ES256') throw new CheckFailed(`Only ES256 signatures are accepted, not "${header.alg}".`)
  if (header.typ !== 'foyer-consent') throw new CheckFailed(`The signed content is not a consent but "${header.typ}".`)
  return { header, payload: decodeBase64url(payload, 'payload') }
}

/** The key that the bundle names. Its id is its thumbprint (RFC 7638), so no other key can replace it. */
function keyFor({ kid }, { keys }) {
  if (!Array.isArray(keys)) throw new Unreadable('The key set contains no keys.')
  const jwk = keys.find((key) => key?.kid === kid)
  if (!jwk) throw new CheckFailed(`The key "${kid}" that signed this is not in the key set.`)
  const { kty, crv, x, y, alg, use } = jwk
  if (kty !== 'EC' || crv !== 'P-256' || alg !== 'ES256' || use !== 'sig')
    throw new CheckFailed('The key is not for ES256 signatures.')
  if (createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url') !== kid)
    throw new CheckFailed('The key does not match its id.')
  try {
    return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
  } catch {
    throw new CheckFailed('The key is not a point on its curve.')
  }
}

/** Accepts only canonical base64url: otherwise a changed last character could decode to the same bytes. */
function decodeBase64url(text, part) {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new CheckFailed(`The ${part} is not canonical base64url.`)
  return bytes
}

function parseJson(text, name) {
  try {
    const value = JSON.parse(typeof text === 'string' ? text : strictUtf8.decode(text))
    if (value && typeof value === 'object') return value
  } catch {}
  throw new Unreadable(`${name} is not valid JSON.`)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Removes characters that could move the cursor or forge a line in the terminal. */
const printable = (text) => String(text).replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
const formatTime = (text) =>
  printable(text)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')

async function readText(path) {
  try {
    return strictUtf8.decode(await readFile(path))
  } catch (error) {
    throw new Unreadable(`${path} cannot be read: ${error.message}`)
  }
}

async function readKeySet(location) {
  if (!/^https?:\/\//.test(location)) return readText(location)
  const reply = await fetch(location, { redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch((error) => {
    throw new Unreadable(`${location} does not respond: ${error.cause?.message ?? error.message}`)
  })
  if (!reply.ok) throw new Unreadable(`${location} responded with status ${reply.status}.`)
  return reply.text()
}

/** The key set URL named in the file. A forged file can name any URL, so the output shows it. */
function keySetUrlOf(bundle) {
  const { issuer } = parseJson(
    decodeBase64url(String(parseJson(bundle, 'The file').payload), 'payload'),
    'The signed content',
  )
  if (!/^https?:\/\/[^\s]+$/.test(issuer)) throw new Unreadable('The file does not name a key set. Please pass one.')
  return `${issuer}${WELL_KNOWN}`
}

async function main([file, keys]) {
  if (!file) throw new Unreadable('Usage: npm run verify-consent -- FILE [KEYS]')
  const bundle = await readText(file)
  const location = keys ?? keySetUrlOf(bundle)
  const { issuer, member, sponsor, accepted, made_at, kid } = verifyConsent(bundle, await readKeySet(location))
  const { first_name, last_name, username, joined_at } = member
  return [
    `This file has not been changed since ${printable(issuer)} signed it on ${formatTime(made_at)}.`,
    `The key is ${kid}, from ${printable(location)}.`,
    ...(keys ? [] : ['This URL comes from the file itself: make sure that it belongs to the right company.']),
    '',
    `${printable(first_name)} ${printable(last_name)} (${printable(username)}), a member since ${formatTime(joined_at)} through ${printable(sponsor.name)} (/${printable(sponsor.site)}), accepted:`,
    ...(sponsor.record
      ? [`  The record of opened sponsor links ends with the hash ${printable(sponsor.record)}.`]
      : []),
    ...accepted.flatMap(({ title, version, accepted_at, sha256 }) => [
      '',
      `  ${printable(title)}, version ${printable(version)}`,
      `  on ${formatTime(accepted_at)}`,
      `  SHA-256 of the text: ${sha256}`,
    ]),
  ].join('\n')
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) {
  try {
    console.log(await main(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof CheckFailed) && !(error instanceof Unreadable)) throw error
    console.error(printable(error.message))
    process.exitCode = error instanceof CheckFailed ? 1 : 2
  }
}
