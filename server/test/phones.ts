import { openBreaker } from '#server/abuse/breaker.ts'
import type { World } from '#server/world/world.ts'
import type { Site } from './site.ts'

/** As if the declines breaker had just closed: codes can still be sent, but no card requires one. */
export const closeBreakerJustNow = ({ db, now }: World) => openBreaker(db, now(), 'declines', now())

/** Sends and verifies codes, reads the outbox, and reads the limit counters. */
export function phonesOf(site: Site) {
  const outbox = async (to: string) => (await site.get(`/__outbox.json?to=${encodeURIComponent(to)}`)).json()
  return {
    outbox,
    codeTo: async (to: string): Promise<string> => /\b\d{6}\b/.exec((await outbox(to))[0].body)?.[0] ?? '',
    /** A visitor with an enrollment cookie. */
    visitor: async () => {
      const cookie = String((await site.get('/ana')).headers['set-cookie']).split(';')[0] ?? ''
      return {
        cookie,
        send: async (phone_number: string) =>
          site.post('twilio/send-verification-code', { phone_number, captcha: await site.captcha() }, { cookie }),
        call: async (cellphone: string) =>
          site.post('twilio/verify-call', { cellphone, captcha: await site.captcha() }, { cookie }),
        verify: (phone_number: string, code: string) =>
          site.post('twilio/verify-code', { phone_number, code }, { cookie }),
      }
    },
    /** The current count of a limit. */
    countOf: async (name: string, key?: string) => {
      const rows = await site.db.selectFrom('limit_count').select(['key', 'count']).where('name', '=', name).execute()
      return rows.filter((row) => !key || row.key === key).reduce((sum, { count }) => sum + Number(count), 0)
    },
  }
}
