import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Db } from '#server/db/db.ts'
import { readLimited } from '#server/gateways/response.ts'
import type { CaptchaGateway } from './port.ts'
import { markSolutionUsed, solutionUser } from './used-solutions.ts'
import { ONLOAD, type Vendor } from './vendors.ts'

const DEADLINE_MS = 5_000
const MAX_TOKEN_LENGTH = 8_192

/** Errors of the operator or the vendor, not of the visitor. */
const OPERATOR_ERROR = /secret|sitekey|bad-request|internal-error/
const ALREADY_USED = /duplicate|already-seen/

const SiteverifyReply = z.object({
  success: z.boolean(),
  hostname: z.optional(z.string()),
  'error-codes': z.optional(z.array(z.string())),
})

export type Log = Record<'error' | 'info', (about: Record<string, unknown>, sentence: string) => void>

type Parts = {
  name: string
  vendor: Vendor
  site_key: string
  secret: string
  /** Our own hosts: tokens solved on other sites are rejected. */
  hosts: string[]
  db: Db
  now: () => Date
  log: Log
}

/** A third-party captcha. Fails closed: only a confirmed solution from one of our own pages is accepted. */
export const siteverify = ({ name, vendor, site_key, secret, hosts, db, now, log }: Parts): CaptchaGateway => {
  return {
    name,
    vendor: {
      widget: { script: vendor.script, onload: ONLOAD, global: vendor.global, site_key },
      sources: vendor.sources,
    },
    challenge: async () => ({}),

    async verify(token, used_by) {
      if (!token || token.length > MAX_TOKEN_LENGTH) return false
      const key = hash('sha256', token, 'hex')
      const user = await solutionUser(db, key)
      if (user !== undefined) return user === used_by
      const verdict = await verifyToken(token)
      if (verdict === 'used') return isUsedBy(key, used_by)
      const expires_at = new Date(now().getTime() + vendor.seconds * 1000)
      return verdict === 'good' && markSolutionUsed(db, key, used_by, expires_at)
    },
  }

  async function verifyToken(response: string): Promise<'good' | 'bad' | 'used'> {
    const answer = await post(response)
    if (!answer) return 'bad'
    const { success, hostname = '', 'error-codes': codes = [] } = answer
    if (!success) {
      log[codes.some((code) => OPERATOR_ERROR.test(code)) ? 'error' : 'info'](
        { captcha: name, codes },
        'the captcha vendor rejected a token',
      )
      return codes.some((code) => ALREADY_USED.test(code)) ? 'used' : 'bad'
    }
    if (hosts.includes(hostname) || hostname === vendor.unnamedHost) return 'good'
    log.error({ captcha: name, hostname }, 'a captcha was solved on another site; check SITE_HOSTS')
    return 'bad'
  }

  async function post(response: string) {
    try {
      const reply = await fetch(vendor.siteverify, {
        method: 'POST',
        body: new URLSearchParams({ secret, response }),
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      if (!reply.ok) throw new Error(`status ${reply.status}`)
      return SiteverifyReply.parse(JSON.parse(await readLimited(reply)))
    } catch (cause) {
      log.error(
        { captcha: name, reason: cause instanceof Error ? cause.message : 'unknown' },
        'the captcha vendor did not respond',
      )
      return undefined
    }
  }

  /** The vendor has just accepted this token, perhaps from the same request sent twice. Waits until the other one is recorded. */
  async function isUsedBy(key: string, used_by: string): Promise<boolean> {
    for (const pauseMs of [0, 50, 100, 200, 400]) {
      await sleep(pauseMs)
      const user = await solutionUser(db, key)
      if (user !== undefined) return user === used_by
    }
    return false
  }
}
