import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** AES-256-GCM. The text that is returned holds the nonce, the tag and what was encrypted. */
export function encrypt(key: Buffer, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64')).join('.')
}

/** Undefined if another key encrypted it, or if it was changed. */
export function decrypt(key: Buffer, sealed: string): string | undefined {
  const [iv, tag, body] = sealed.split('.').map((part) => Buffer.from(part, 'base64'))
  if (!iv || !body || tag?.length !== 16) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag)
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
