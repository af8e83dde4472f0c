import { randomUUID } from 'node:crypto'
import { calls } from '#contract/api.ts'
import { closeBreakerJustNow } from '#server/test/phones.ts'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { solveCaptcha } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, openInProcessSites, type Reply, type SiteClient } from '../in-process-site/in-process-site.ts'
import { createVirtualClock } from '../in-process-site/virtual-clock.ts'
import type { Backend } from '../site/backends.ts'
import { americanPhone, attackerAddress, cardNumber, formAnswers } from '../test-data.ts'
import { readCode } from './legitimate-visitor.ts'

const LONG = { uses: 1_000 }
const SHORT = { uses: 200 }

type Use = (site: SiteClient, n: number) => Promise<Reply>
type OneTimeThing = {
  name: string
  /** Creates the thing and returns how to use it. */
  prepare: (site: SiteClient) => Promise<Use>
  isSuccess: (reply: Record<string, unknown>) => boolean
  /** How often it was really consumed, where replies do not tell: the code's owner may hear twice that it is correct. */
  countUses?: (site: SiteClient) => Promise<number>
}

const oneTimeThings: OneTimeThing[] = [
  {
    name: 'captcha solution, to pay',
    prepare: async (site) => {
      const captcha = await solveCaptcha(site, { address: attackerAddress(0) })
      return (one, n) => {
        const answers = formAnswers(`once${n}`, americanPhone(n), cardNumber('4539', n))
        const sender = { address: attackerAddress(n), key: `${randomUUID()}.1` }
        return one.post(calls.addEnrollment.path, { ...answers, captcha }, sender)
      }
    },
    isSuccess: ({ payment }) => payment === 'Approved',
  },
  {
    name: 'captcha solution, for a first code',
    prepare: async (site) => {
      const captcha = await solveCaptcha(site, { address: attackerAddress(0) })
      return (one, n) =>
        one.post(
          calls.sendVerificationCode.path,
          { phone_number: americanPhone(n), captcha },
          { address: attackerAddress(n) },
        )
    },
    isSuccess: ({ status }) => status === 1,
  },
  {
    name: 'code',
    prepare: async (site) => {
      const address = attackerAddress(0)
      const phone_number = americanPhone(LONG.uses) // not used by the other things
      const captcha = await solveCaptcha(site, { address })
      const reply = await site.post(calls.sendVerificationCode.path, { phone_number, captcha }, { address })
      const cookie = cookieOf(reply)
      const code = await readCode(site, phone_number)
      return (one, n) =>
        one.post(calls.verifyCode.path, { phone_number, code }, { address: attackerAddress(n), cookie })
    },
    isSuccess: ({ status }) => status === 1,
    countUses: async ({ world }) => {
      const { sum } = world.db.fn
      const counts = world.db.selectFrom('limit_count').where('name', '=', 'breaker codes').where('key', '=', 'good')
      return Number((await counts.select(sum('count').as('good')).executeTakeFirst())?.good)
    },
  },
]

/** Uses each one-time thing many times in parallel, on two Foyers where the database can be shared. */
export const doubleUse: Drill = async (run, backend) => {
  const workspace = await backend.createWorkspace()
  const { sites, description, close } = await openInProcessSites(run, backend, workspace, {
    now: createVirtualClock().now,
  })
  const rows = await doubleUseOn(run, backend, sites, description)
  await close()
  await workspace.remove()
  return rows
}

/** The same on sites that are already open. */
export async function doubleUseOn(
  run: DrillRun,
  backend: Backend,
  sites: SiteClient[],
  description: string,
): Promise<ReportRow[]> {
  const { uses } = run.short ? SHORT : LONG
  const [first] = sites
  if (!first) throw new Error('there is no site')
  await closeBreakerJustNow(first.world)
  const rows: ReportRow[] = []
  for (const { name, prepare, isSuccess, countUses } of oneTimeThings) {
    run.showProgress(backend.name, `abuse · one ${name}, ${uses} uses at the same time`)
    const use = await prepare(first)
    const replies = await Promise.all(Array.from({ length: uses }, (_, n) => use(sites[n % sites.length] ?? first, n)))
    const successReplies = replies.filter((reply) => isSuccess(reply.json())).length
    const successes = countUses && successReplies ? await countUses(first) : successReplies
    const errors = replies.filter(({ statusCode }) => statusCode >= 500).length
    rows.push({
      action: `${uses} parallel uses of one ${name}, ${description}`,
      expected: 'one succeeds, no 5xx',
      result: `${successes} succeeded, ${errors} 5xx answers`,
      passed: successes === 1 && errors === 0,
    })
  }
  return rows
}
