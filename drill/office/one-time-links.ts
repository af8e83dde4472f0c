import { officeCalls } from '#contract/office/office.ts'
import { mintGrant } from '#server/members/grant.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import type { Reply, Sender, SiteClient } from '../in-process-site/in-process-site.ts'
import type { Backend } from '../site/backends.ts'
import { attackerAddress } from '../test-data.ts'
import { signIn, type TestMember, tokenFromEmail } from './fixture.ts'

const LONG = { uses: 1_000 }
const SHORT = { uses: 40 }

/** How to use the link for the n-th time, and whether the first success took effect. */
type LinkUse = {
  use: (site: SiteClient, n: number, sender: Sender) => Promise<Reply>
  tookEffect: (winner: number) => Promise<boolean>
}
type LinkKind = {
  name: string
  refusal: string
  expected: string
  prepare: (site: SiteClient, member: TestMember) => Promise<LinkUse>
}

const linkKinds: LinkKind[] = [
  {
    name: 'office grant',
    expected: 'one session, all others refused with the right message',
    refusal: 'This sign-in link has expired or was already used.',
    prepare: async (site, member) => {
      const token = await mintGrant(site.world, await memberOf(site, member))
      return {
        use: (one, _n, sender) => one.post(officeCalls.enterOffice.path, { token }, sender),
        tookEffect: async () => (await sessionsOf(site, member)) === 1,
      }
    },
  },
  {
    name: 'password reset link',
    expected: 'one sets the password, all others refused with the right message',
    refusal: 'This link has expired or was already used. Please request a new one.',
    prepare: async (site, member) => {
      await site.post(officeCalls.forgetPassword.path, { name: member.name }, { address: attackerAddress(0) })
      const token = await tokenFromEmail(site, member.email, 'new-password')
      const password = (n: number) => `Lemon-Tree-${n}`
      return {
        use: (one, n, sender) => one.post(officeCalls.resetPassword.path, { token, password: password(n) }, sender),
        tookEffect: (winner) =>
          signIn(site, { ...member, password: password(winner) }).then(
            () => true,
            () => false,
          ),
      }
    },
  },
  {
    name: 'email confirmation link',
    expected: 'one confirms the email, all others refused with the right message',
    refusal: 'This link has expired or was already used.',
    prepare: async (site, member) => {
      const email = `new.${member.email}`
      const sender = { address: attackerAddress(0), cookie: await signIn(site, member) }
      await site.post(officeCalls.changeEmail.path, { email, current_password: member.password }, sender)
      const token = await tokenFromEmail(site, email, 'confirm-email')
      return {
        use: (one, _n, sender) => one.post(officeCalls.confirmEmail.path, { token }, sender),
        tookEffect: async () => (await memberOf(site, member)).email === email,
      }
    },
  },
]

/** The sites, and one member for each kind of link. */
type LinkFixture = { site: SiteClient; sites: SiteClient[]; otherMembers: TestMember[]; description: string }

/** Uses each one-time link many times in parallel, each time from another address. */
export async function oneTimeLinks(run: DrillRun, backend: Backend, fixture: LinkFixture): Promise<ReportRow[]> {
  const { site, sites, otherMembers, description } = fixture
  const { uses } = run.short ? SHORT : LONG
  const rows: ReportRow[] = []
  for (const [index, { name, refusal, expected, prepare }] of linkKinds.entries()) {
    run.showProgress(backend.name, `office · one ${name}, ${uses} uses at the same time`)
    const member = otherMembers[index] as TestMember
    const { use, tookEffect } = await prepare(site, member)
    const replies = await Promise.all(
      Array.from({ length: uses }, (_, n) => use(sites[n % sites.length] ?? site, n, { address: attackerAddress(n) })),
    )
    const winners = [...replies.keys()].filter((n) => replies[n]?.statusCode === 200)
    const refusals = replies.filter((reply) => reply.statusCode === 401 && reply.json().message === refusal).length
    const errors = replies.filter(({ statusCode }) => statusCode >= 500).length
    const isInEffect = await tookEffect(winners[0] ?? -1)
    rows.push({
      action: `${uses} parallel uses of one ${name}, ${description}`,
      expected: `${expected}, no 5xx`,
      result: `${winners.length} succeeded${isInEffect ? '' : ', BUT IT HAD NO EFFECT'}, ${refusals} refused with the right message, ${errors} 5xx answers`,
      passed: winners.length === 1 && refusals === uses - 1 && errors === 0 && isInEffect,
    })
  }
  return rows
}

const memberOf = ({ world }: SiteClient, { name }: TestMember) =>
  world.db
    .selectFrom('member')
    .select(['id', 'email', 'access_version'])
    .where('username', '=', name)
    .executeTakeFirstOrThrow()

const idOf = async (site: SiteClient, member: TestMember) => (await memberOf(site, member)).id

async function sessionsOf(site: SiteClient, member: TestMember): Promise<number> {
  const sessions = await site.world.db
    .selectFrom('office_session')
    .select('key_hash')
    .where('member_id', '=', await idOf(site, member))
    .execute()
  return sessions.length
}
