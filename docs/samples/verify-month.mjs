// Verifies a month that Foyer made for a commission engine. Run it in the month's folder, with jwks.json beside the files.
// For openssl, print key.export({ type: 'spki', format: 'pem' }).
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const manifest = readFileSync('manifest.json')
const { key_id, files } = JSON.parse(manifest)
const jwk = JSON.parse(readFileSync('jwks.json')).keys.find(({ kid }) => kid === key_id)
const key = createPublicKey({ key: jwk, format: 'jwk' })
if (!verify('sha256', manifest, key, readFileSync('manifest.sig'))) throw new Error('The signature is wrong.')
for (const { name, sha256 } of files)
  if (createHash('sha256').update(readFileSync(name)).digest('hex') !== sha256) throw new Error(`${name} was changed.`)
console.log('The signature and all files match.')
