import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './password-hash.ts'

const capacity = { HASHES_AT_ONCE: 2, HASHES_WAITING: 10 }
const by = { lane: 'enrollment', key: 'a network' } as const

it('4.15 a password is hashed with argon2id at the cost that OWASP recommends', async () => {
  const hashed = await hashPassword('Open-Sesame-7', capacity, by)
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword('Open-Sesame-7', hashed, capacity, by)).toBe(true)
  expect(await verifyPassword('Open-Sesame-8', hashed, capacity, by)).toBe(false)
  expect(await verifyPassword('nobody', undefined, capacity, by)).toBe(false)
})
