import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { countRefusal } from '#server/abuse/limits.ts'
import { networkOf } from '#server/client.ts'
import { limitKeys } from '#server/http/address.ts'
import { replyToError } from '#server/http/errors.ts'
import { REPORTS_PATH } from '#server/http/headers.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/**
 * Where browsers report what the Content-Security-Policy of a page has stopped. Counts by day are kept, and nothing about a person:
 * a report is reduced to the directive, the origin of what was blocked, and the kind of page. Anybody can send anything here.
 */

const MAX_BYTES = 16 * 1024
/** Of one batch, and of one address in a minute. */
const MAX_BY_ADDRESS = 30
/** In a minute, for this process. */
const MAX_IN_TOTAL = 600
const MAX_ROWS_A_DAY = 500
/** Different reports that one network can add to a day, so that it can't use up the rows of all others. */
const MAX_ROWS_BY_NETWORK = 10
const KEPT_DAYS = 90
const FLUSH_MS = 5_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Violation = { directive: string; blocked: string; page: string }

export async function addCspReports(app: FastifyInstance, world: World): Promise<void> {
  const limits = minuteLimits(() => world.now().getTime())
  const share = networkShares(() => todayOf(world))
  const counts = new Map<string, { violation: Violation; count: number }>()
  let timer: NodeJS.Timeout | undefined
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    const pending = [...counts.values()]
    counts.clear()
    if (pending.length) await writeCounts(world, pending)
  }
  const flushLater = () => {
    timer ??= setTimeout(() => {
      flush().catch((err: unknown) => world.log.warn({ err }, 'reports of browsers were not counted'))
    }, FLUSH_MS).unref()
  }

  await app.register(async (scope) => {
    scope.setErrorHandler(replyToError)
    scope.removeAllContentTypeParsers()
    const types = ['application/csp-report', 'application/reports+json']
    scope.addContentTypeParser(
      types,
      { parseAs: 'string', bodyLimit: MAX_BYTES },
      scope.getDefaultJsonParser('error', 'error'),
    )
    scope.post(REPORTS_PATH, async (request, reply) => {
      const address = limitKeys(request.ip)
      const violations = violationsIn(request.body, world.config.SITE_HOSTS).slice(0, MAX_BY_ADDRESS)
      const isWithinLimits = limits.use(address[0], Math.max(1, violations.length))
      if (!isWithinLimits) {
        countRefusal('CSP_REPORTS')
        return reply.code(429).header('retry-after', '60').send()
      }
      for (const violation of violations.map((each) => share(networkOf({ address }), each))) {
        const key = Object.values(violation).join(' ')
        counts.set(key, { violation, count: (counts.get(key)?.count ?? 0) + 1 })
      }
      if (violations.length) flushLater()
      return reply.code(204).send()
    })
  })
  app.addHook('onClose', () => flush().catch(() => undefined))
}

/** In memory: reports are not worth a query each. Both limits start over every minute. */
function minuteLimits(now: () => number) {
  let minute = 0
  let total = 0
  const byAddress = new Map<string, number>()
  return {
    use(address: string, count: number): boolean {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) {
        minute = current
        total = 0
        byAddress.clear()
      }
      const own = (byAddress.get(address) ?? 0) + count
      if (own > MAX_BY_ADDRESS || total + count > MAX_IN_TOTAL) return false
      byAddress.set(address, own)
      total += count
      return true
    },
  }
}

/** Returns what a violation is counted as: once a network has used up its share of the day, a new one is one of the others. */
function networkShares(today: () => string) {
  let day = ''
  const known = new Set<string>()
  const added = new Map<string, number>()
  return (network: string, violation: Violation): Violation => {
    if (day !== today()) {
      day = today()
      known.clear()
      added.clear()
    }
    const key = Object.values(violation).join(' ')
    if (known.has(key) || known.size >= MAX_ROWS_A_DAY) return violation
    const count = added.get(network) ?? 0
    if (count >= MAX_ROWS_BY_NETWORK) return asOther(violation)
    added.set(network, count + 1)
    known.add(key)
    return violation
  }
}

const Old = z.object({
  'csp-report': z.object({
    'document-uri': z.string(),
    'blocked-uri': z.optional(z.string()),
    'effective-directive': z.optional(z.string()),
    'violated-directive': z.optional(z.string()),
  }),
})
const New = z.object({
  type: z.literal('csp-violation'),
  body: z.object({ documentURL: z.string(), blockedURL: z.optional(z.string()), effectiveDirective: z.string() }),
})

/** What is worth counting in a report: of our own pages, and in words that we know. */
export function violationsIn(body: unknown, hosts: string[]): Violation[] {
  const old = z.safeParse(Old, body)
  const rows = old.success
    ? [fromOld(old.data['csp-report'])]
    : [body].flat().flatMap((report) => {
        const { success, data } = z.safeParse(New, report)
        return success ? [fromNew(data.body)] : []
      })
  return rows.flatMap(({ directive, blockedUrl, pageUrl }) => {
    const blocked = blockedOf(blockedUrl, hosts)
    const page = pageOf(pageUrl, hosts)
    return directives.has(directive) && blocked && page ? [{ directive, blocked, page }] : []
  })
}

const fromOld = (report: z.infer<typeof Old>['csp-report']) => ({
  directive: (report['effective-directive'] || report['violated-directive'] || '').split(' ')[0] ?? '',
  blockedUrl: report['blocked-uri'] ?? '',
  pageUrl: report['document-uri'],
})
const fromNew = ({ effectiveDirective, blockedURL = '', documentURL }: z.infer<typeof New>['body']) => ({
  directive: effectiveDirective,
  blockedUrl: blockedURL,
  pageUrl: documentURL,
})

const directives = new Set([
  ...['script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem', 'style-src-attr', 'img-src'],
  ...['font-src', 'connect-src', 'frame-src', 'worker-src', 'manifest-src', 'media-src', 'object-src', 'child-src'],
  ...['default-src', 'form-action', 'base-uri', 'frame-ancestors', 'require-trusted-types-for', 'trusted-types'],
])

const keywords = new Set([
  'inline',
  'eval',
  'wasm-eval',
  'trusted-types-policy',
  'trusted-types-sink',
  'self',
  'data',
  'blob',
])
const MAX_HOST = 100

/** The origin, never the path. Of an extension only its kind: its id would tell browsers apart. */
function blockedOf(text: string, hosts: string[]): string | undefined {
  if (keywords.has(text)) return text
  if (!URL.canParse(text)) return text === '' ? 'inline' : undefined
  const { protocol, host } = new URL(text)
  if (!/^(?:https?|wss?):$/.test(protocol)) return /^[a-z][a-z-]{1,30}:$/.test(protocol) ? protocol : undefined
  if (hosts.includes(host)) return 'self'
  return host.length <= MAX_HOST ? `${protocol}//${host}` : undefined
}

/** The kind of page: the word in a sponsor's address is a member's username, and other paths can hold a token. */
function pageOf(text: string, hosts: string[]): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { host, pathname } = new URL(text)
  if (!hosts.includes(host)) return undefined
  const [, first = ''] = pathname.split('/')
  if (['office', 'console', 'api'].includes(first)) return `/${first}`
  return first === '' ? '/' : '/{site}'
}

/** Once a day has many different reports, further ones are counted together. */
const OTHERS = '(others)'
const asOther = ({ directive }: Violation): Violation => ({ directive, blocked: OTHERS, page: OTHERS })

async function writeCounts(world: World, pending: { violation: Violation; count: number }[]): Promise<void> {
  const { db } = world
  const day = todayOf(world)
  const expires_at = new Date(Date.parse(day) + KEPT_DAYS * DAY_MS)
  const stored = await db
    .selectFrom('csp_report')
    .select(['directive', 'blocked', 'page'])
    .where('day', '=', day)
    .execute()
  const known = new Set(stored.map(({ directive, blocked, page }) => [directive, blocked, page].join(' ')))
  const totals = new Map<string, Violation & { count: number }>()
  for (const { violation, count } of pending) {
    const isNew = !known.has(Object.values(violation).join(' '))
    const isTooMany = isNew && known.size >= MAX_ROWS_A_DAY
    const row = isTooMany ? asOther(violation) : violation
    const key = Object.values(row).join(' ')
    known.add(key)
    totals.set(key, { ...row, count: (totals.get(key)?.count ?? 0) + count })
  }
  const rows = [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => ({ ...row, day, expires_at })) // one order of locks
  await db
    .insertInto('csp_report')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'directive', 'blocked', 'page'])
        .doUpdateSet({ count: sql`csp_report.count + excluded.count` }),
    )
    .execute()
}
