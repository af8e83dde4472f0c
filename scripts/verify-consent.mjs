// npm run verify-consent -- FILE [KEYS]: is this what somebody accepted?
// FILE is the consent.json of a letter or of the office. KEYS is the public key set: a file, or the address at which the
// company that signed it shows it; without it, the address that FILE itself names is asked. Needs Node and nothing else.
// Ends with 0 when every check holds, with 1 when one fails, with 2 when something could not be read.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const WELL_KNOWN = '/.well-known/jwks.json'

/** A check that failed, in a sentence. */
class Doubt extends Error {}
/** What could not be read or asked at all. */
class Unreadable extends Error {}

/** What was accepted, by whom and when, if every check holds. Throws a Doubt with a sentence if one does not. */
export function verified(bundle, keySet) {
  const signed = read(bundle, 'The file')
  const { header, payload } = opened(bundle, signed)
  const key = keyFor(header, read(keySet, 'The key set'))
  const words = Buffer.from(`${signed.protected}.${signed.payload}`)
  const signature = decoded(signed.signature, 'signature')
  if (!verify('sha256', words, { key, dsaEncoding: 'ieee-p1363' }, signature))
    throw new Doubt('The signature does not fit: what it signed was changed, or another key signed it.')
  const said = read(payload, 'What was signed')
  for (const { title, content, sha256 } of said.accepted)
    if (createHash('sha256').update(content).digest('hex') !== sha256)
      throw new Doubt(`The text of "${title}" does not have the hash that stands beside it.`)
  return { ...said, kid: header.kid }
}

/** The three members and nothing else, in the form in which they were made: a byte that means nothing would go unseen. */
function opened(bundle, signed) {
  const { payload, signature, protected: head } = signed
  if ([payload, signature, head].some((part) => typeof part !== 'string'))
    throw new Doubt('The file is no signed bundle: it lacks payload, protected or signature.')
  if (bundle.trimEnd() !== JSON.stringify({ payload, protected: head, signature }))
    throw new Doubt('The file is not in the form in which it was made: something was added or rearranged.')
  const header = read(decoded(head, 'header'), 'The signed header')
  if (Object.keys(header).sort().join() !== 'alg,kid,typ')
    throw new Doubt('The signed header does not hold exactly alg, kid and typ.')
  if (header.alg !== 'ES256') throw new Doubt(`Only ES256 is accepted as signature, not "${header.alg}".`)
  if (header.typ !== 'foyer-consent') throw new Doubt(`What was signed is not a consent but "${header.typ}".`)
  return { header, payload: decoded(payload, 'payload') }
}

/** The key that the bundle names. Its name is its own thumbprint (RFC 7638), so no other key can take its place. */
function keyFor({ kid }, { keys }) {
  if (!Array.isArray(keys)) throw new Unreadable('The key set holds no keys.')
  const jwk = keys.find((key) => key?.kid === kid)
  if (!jwk) throw new Doubt(`The key "${kid}" that signed this is not in the key set.`)
  const { kty, crv, x, y, alg, use } = jwk
  if (kty !== 'EC' || crv !== 'P-256' || alg !== 'ES256' || use !== 'sig')
    throw new Doubt('The key is not one for ES256 signatures.')
  if (createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url') !== kid)
    throw new Doubt('The key is not the one that its name says.')
  try {
    return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
  } catch {
    throw new Doubt('The key is not a point of its curve.')
  }
}

/** base64url in its one right spelling: otherwise a changed last sign could mean the same. */
function decoded(text, part) {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Doubt(`The ${part} is not spelled as it was made.`)
  return bytes
}

function read(text, what) {
  try {
    const value = JSON.parse(typeof text === 'string' ? text : strict.decode(text))
    if (value && typeof value === 'object') return value
  } catch {}
  throw new Unreadable(`${what} cannot be read as JSON.`)
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What others wrote is shown without signs that could move the cursor or forge a line. */
const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
const moment = (text) =>
  plain(text)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')

async function fileText(path) {
  try {
    return strict.decode(await readFile(path))
  } catch (error) {
    throw new Unreadable(`${path} cannot be read: ${error.message}`)
  }
}

async function keysAt(place) {
  if (!/^https?:\/\//.test(place)) return fileText(place)
  const reply = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch((error) => {
    throw new Unreadable(`${place} does not answer: ${error.cause?.message ?? error.message}`)
  })
  if (!reply.ok) throw new Unreadable(`${place} answers ${reply.status}.`)
  return reply.text()
}

/** Where the file says that its key is. It may say anything, so whoever reads the answer is told where we looked. */
function named(bundle) {
  const { issuer } = read(decoded(String(read(bundle, 'The file').payload), 'payload'), 'What was signed')
  if (!/^https?:\/\/[^\s]+$/.test(issuer))
    throw new Unreadable('The file does not say where its key is; name the key set.')
  return `${issuer}${WELL_KNOWN}`
}

async function main([file, keys]) {
  if (!file) throw new Unreadable('Say which file: npm run verify-consent -- FILE [KEYS]')
  const bundle = await fileText(file)
  const place = keys ?? named(bundle)
  const { issuer, member, sponsor, accepted, made_at, kid } = verified(bundle, await keysAt(place))
  const { first_name, last_name, username, joined_at } = member
  return [
    `Nothing in this file was changed since ${plain(issuer)} signed it on ${moment(made_at)}.`,
    `The key is ${kid}, from ${plain(place)}.`,
    ...(keys ? [] : ['The file itself named that address: make sure that it is the one of the company you mean.']),
    '',
    `${plain(first_name)} ${plain(last_name)} (${plain(username)}), a member since ${moment(joined_at)} through ${plain(sponsor.name)} (/${plain(sponsor.site)}), accepted:`,
    ...(sponsor.record ? [`  The record of the links that led there is sealed with ${plain(sponsor.record)}.`] : []),
    ...accepted.flatMap(({ title, version, accepted_at, sha256 }) => [
      '',
      `  ${plain(title)}, version ${plain(version)}`,
      `  on ${moment(accepted_at)}`,
      `  SHA-256 ${sha256}, which is the hash of its text`,
    ]),
  ].join('\n')
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) {
  try {
    console.log(await main(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof Doubt) && !(error instanceof Unreadable)) throw error
    console.error(plain(error.message))
    process.exitCode = error instanceof Doubt ? 1 : 2
  }
}
