import { randomInt, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { brand as builtIn } from '#contract/brand.ts'
import type { Db } from '#server/db/db.ts'
import { accountOk } from '#server/gateways/account.ts'
import type { SendResult, SmsGateway } from './port.ts'

const VALID_MINUTES = 10
const MAX_TRIES = 5

const byLastDigits: Record<string, SendResult> = { '0403': 'blocked', '0429': 'too_often', '0500': 'unknown' }

type Parts = { db: Db; now: () => Date; hmacs: (text: string) => string[]; host: string }

/**
 * Sends nothing: messages go to the outbox page. The last digits of the number decide: …0403 is blocked, …0404 cannot
 * receive SMS, …0429 had too many codes, …0500 gets no response, and any other number works.
 */
export const sandboxSms = (parts: Parts): SmsGateway => {
  const { db, now, hmacs, host } = parts
  /** With every key that may have been in use, the newest first. */
  const hashes = (mobile_phone: string, code: string) => hmacs(`${mobile_phone} ${code}`)

  return {
    name: 'sandbox',
    async send(mobile_phone, channel) {
      const refusal = byLastDigits[mobile_phone.slice(-4)]
      if (refusal) return refusal
      if (mobile_phone.endsWith('0404') && channel === 'sms') return 'unreachable'
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const row = {
        code_hash: hashes(mobile_phone, code)[0] ?? '',
        tries: 0,
        expires_at: new Date(now().getTime() + VALID_MINUTES * 60_000),
      }
      await db
        .insertInto('sandbox_code')
        .values({ mobile_phone, ...row })
        .onConflict((conflict) => conflict.column('mobile_phone').doUpdateSet(row))
        .execute()
      const brand = await db.selectFrom('brand').select('name').executeTakeFirst()
      const body = `Your ${brand?.name ?? builtIn.name} code is ${code}. Never share it.`
      const text = channel === 'sms' ? `${body}\n\n@${host} #${code}` : body
      await db
        .insertInto('message')
        .values({ id: randomUUID(), channel, recipient: mobile_phone, subject: '', body: text, created_at: now() })
        .execute()
      return 'sent'
    },

    /** The statement that reads the code also counts the try, so parallel guesses cannot exceed the limit. */
    async check(mobile_phone, code) {
      const { rows } = await sql<{ code_hash: string }>`
        update sandbox_code set tries = tries + 1
        where mobile_phone = ${mobile_phone} and tries < ${MAX_TRIES} and expires_at > ${now()}
        returning code_hash`.execute(db)
      const stored = rows[0]?.code_hash
      if (!stored) return 'gone'
      if (!hashes(mobile_phone, code).includes(stored)) return 'wrong'
      const result = await db
        .deleteFrom('sandbox_code')
        .where('mobile_phone', '=', mobile_phone)
        .where('code_hash', '=', stored)
        .executeTakeFirst()
      return Number(result.numDeletedRows) === 1 ? 'right' : 'gone'
    },

    checkAccount: async () => accountOk,
  }
}
