import type { EnrollmentReply } from '#contract/api.ts'
import { ownOffice } from '#server/config/operator.ts'
import type { Visitor } from '#server/sponsors/visitor.ts'
import type { World } from '#server/world/world.ts'
import { type Ask, createAsk } from './calls.ts'
import { type Catalog, openCatalog } from './catalog.ts'
import { type Host, openHost } from './host.ts'
import { phoneAtHost } from './phone.ts'
import { openPictures } from './pictures.ts'

/**
 * Provider mode: the same pages in front of an operator's own API host, which speaks the eleven calls of the specification
 * and keeps members and payments. host.ts sends requests, calls.ts makes the calls, reading.ts and answers.ts read the answers,
 * catalog.ts remembers them, enrollment.ts sends each enrollment once, handlers.ts serves the page.
 */
export type Provider = {
  world: World
  host: Host
  ask: Ask
  catalog: Catalog
  pictures: ReturnType<typeof openPictures>
  approvals: ReturnType<typeof createApprovals>
}

export function openProvider(outside: World): Provider {
  const host = openHost(outside.config)
  const ask = createAsk(host, outside)
  const world = { ...outside, sms: phoneAtHost(ask) }
  const catalog = openCatalog(world, ask)
  return { world, host, ask, catalog, pictures: openPictures(world, host, catalog), approvals: createApprovals(world) }
}

/** How long a page that lost the reply still gets the token. */
const KEPT_MS = 120_000
const MAX_KEPT = 2_000

/** The tokens that open the office, in memory only. */
function createApprovals({ config, now }: World) {
  const kept = new Map<string, { reply: EnrollmentReply; until: number }>()
  const last = (enrollment_id: string): EnrollmentReply | undefined => {
    const entry = kept.get(enrollment_id)
    return entry && entry.until > now().getTime() ? entry.reply : undefined
  }
  return {
    last,
    keep(enrollment_id: string, reply: EnrollmentReply) {
      const time = now().getTime()
      for (const [id, { until }] of kept) if (until <= time || kept.size >= MAX_KEPT) kept.delete(id)
      kept.set(enrollment_id, { reply, until: time + KEPT_MS })
    },
    /** Only the browser that joined gets the token. */
    replyFor(enrollment_id: string, visitor: Pick<Visitor, 'enrollment_id'>): EnrollmentReply {
      const reply = visitor.enrollment_id === enrollment_id ? last(enrollment_id) : undefined
      return reply ?? { payment: 'Approved', token: '', vo_url: ownOffice(config) }
    },
  }
}
