import { setTimeout as sleep } from 'node:timers/promises'
import { calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { runJobs } from '#server/worker/jobs.ts'
import type { DrillRun } from '../drill.ts'
import { solveCaptcha } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, openInProcessSites, type SiteClient } from '../in-process-site/in-process-site.ts'
import type { Backend } from '../site/backends.ts'
import type { Workspace } from '../site/workspace.ts'
import { americanPhone, cardNumber, formAnswers, visitorAddress } from '../test-data.ts'

const LONG = { referrals: 20 }
const SHORT = { referrals: 2 }
/** One for each kind of one-time link. */
const OTHER_MEMBERS = 3
const MAX_TRIES = 100
const NOW = new Date('2026-11-15T12:00:00Z')
const PASSWORD = 'Open-Sesame-7'
const UNLIMITED = '999999999/86400'

/** Production settings without the development pages, and with limits that never apply. */
const settings = {
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  PUBLIC_URL: 'https://foyer.test',
  ALLOW_EMBEDDED: 'database,payment,phone,mail',
  HASHES_WAITING: '100000',
  LIMIT_CHANGES: UNLIMITED,
  LIMIT_GRANTS: UNLIMITED,
  LIMIT_SIGN_INS: UNLIMITED,
  LIMIT_SIGN_INS_BY_NAME: UNLIMITED,
  LIMIT_LETTERS: UNLIMITED,
  LIMIT_LETTERS_BY_NAME: UNLIMITED,
}

type FormField = 'last_name' | 'email' | 'mobile_phone' | 'address' | 'city' | 'post_code' | 'cc_number'
export type TestMember = Record<'name' | 'password' | FormField, string>
export type OfficeFixture = Awaited<ReturnType<typeof openOfficeFixture>>

/** A sponsor with their referrals and some other members, on two Foyers where the database can be shared. */
export async function openOfficeFixture(run: DrillRun, backend: Backend, workspace: Workspace) {
  const opening = await openInProcessSites(run, backend, workspace, { now: () => NOW, settings })
  const { site } = opening
  const sponsor = await enroll(site, 0, 'ana')
  const { referrals: count } = run.short ? SHORT : LONG
  const referrals = await enrollMany(site, count, 1, sponsor.name)
  const otherMembers = await enrollOtherMembers(site, count + 1)
  return {
    ...opening,
    sponsor,
    referrals,
    /** Not referred by the sponsor. */
    otherMembers,
  }
}

const enrollMany = (site: SiteClient, count: number, first: number, sponsor: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => enroll(site, first + n, sponsor)))

export const enrollOtherMembers = (site: SiteClient, first = 0) => enrollMany(site, OTHER_MEMBERS, first, 'ana')

/** Enrolls the n-th member. All details except the first name are unique. */
async function enroll(site: SiteClient, n: number, sponsor: string): Promise<TestMember> {
  const sender = { address: visitorAddress(n) }
  const name = `quince${n}x`
  const mobile_phone = americanPhone(n)
  const cc_number = cardNumber('4539', 7_000 + n * 37)
  const details = {
    last_name: `Lastname${n}`,
    email: `post.${n}.medlar@mail.example`,
    address: `${n} Rowan${n}tree Lane`,
    city: `Sorb${n}ville`,
    post_code: `${89_000 + n}-${4_000 + n}`,
  }
  const answers = {
    ...formAnswers(name, mobile_phone, cc_number),
    ...details,
    password: PASSWORD,
    sponsor_site_name: sponsor,
  }
  const captcha = await solveCaptcha(site, sender)
  const reply = await site.post(calls.addEnrollment.path, { ...answers, captcha }, sender)
  if (reply.json().payment !== 'Approved') throw new Error(`enrollment failed: ${reply.body}`)
  await site.world.db // as by the link in the welcome email
    .updateTable('member')
    .set({ email_confirmed_at: site.world.now() })
    .where('username', '=', name)
    .execute()
  return { ...details, name, mobile_phone, cc_number, password: PASSWORD }
}

/** Signs in and returns the session cookie. */
export async function signIn(site: SiteClient, { name, password }: TestMember): Promise<string> {
  const reply = await site.post(officeCalls.signIn.path, { name, password }, { address: visitorAddress(0) })
  if (reply.statusCode !== 200) throw new Error(`sign-in failed: ${reply.body}`)
  return cookieOf(reply)
}

/** Runs the open jobs and reads the token for this office page from the email. */
export async function tokenFromEmail(
  { world }: SiteClient,
  email: string,
  page: 'new-password' | 'confirm-email',
): Promise<string> {
  const find = () =>
    world.db
      .selectFrom('message')
      .select('body')
      .where('recipient', '=', email)
      .where('body', 'like', `%/office/${page}#%`)
      .executeTakeFirst()
  while (await runJobs(world));
  let message = await find()
  // Another process may be writing it.
  for (let tries = 0; !message && tries < MAX_TRIES; tries++) message = await sleep(100).then(find)
  if (!message) throw new Error(`no email for ${page}`)
  return message.body.split(`/office/${page}#`)[1]?.slice(0, 43) ?? ''
}
