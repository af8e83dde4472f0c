import { afterAll, beforeAll, expect, it } from 'vitest'
import { API, type Call, calls } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { messageCalls } from '#contract/message-calls.ts'
import { officeCalls } from '#contract/office/office.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

/** What a stranger would have to guess. */
const SECRETS = ['password', 'code', 'token', 'response', 'current_password', 'card_last_four']

/** Here the person chooses the secret, or has just got it from us: there is nothing to guess. */
const chosen = [
  '/enrollment/add-enrollment',
  '/console/access/password',
  '/console/access/passkey',
  '/office/security/passkey',
]

const takesSecret = ({ input }: Call) =>
  Object.keys((input as { shape?: object }).shape ?? {}).some((field) => SECRETS.includes(field))
const guessed = [calls, messageCalls, officeCalls, consoleCalls]
  .flatMap((table): Call[] => Object.values(table))
  .filter((call) => takesSecret(call) && !chosen.includes(call.path))

const LIMIT = 4
let site: Site
let cookies: { office: string; console: string }
let input: Record<string, unknown>
beforeAll(async () => {
  const names = ['SIGN_INS', 'SIGN_INS_BY_NAME', 'SECOND_FACTORS', 'GRANTS', 'CODE_CHECKS', 'CHALLENGES', 'CARD_DIGITS']
  const limits = Object.fromEntries(names.map((name) => [`LIMIT_${name}`, `${LIMIT}/3600`]))
  site = await testSite({ ...limits, TRUST_PROXY: 'loopback' })
  const member = await memberInOffice(site)
  await site.db
    .updateTable('member')
    .set({ unconfirmed_phone: '+16265550199', unconfirmed_phone_at: site.world.now() })
    .execute()
  const owner = await staffMember(site, 'owner')
  cookies = { office: member.cookie, console: owner.cookie }
  site.advance(11 * 60) // later, a session alone isn't enough
  const id = 'A'.repeat(22)
  input = {
    name: 'nobody',
    username: member.username,
    email: 'nobody@example.com',
    mobile_phone: '+16265550199',
    phone_number: '+16265550199',
    password: 'Guess-77-guess',
    current_password: 'Guess-77-guess',
    code: '123456',
    token: 'x'.repeat(43),
    sealed: 'x',
    card_last_four: '1234',
    credential_id: id,
    cc_number: '4242424242424242',
    cc_month: '12',
    cc_year: '2030',
    cc_cvv: '123',
    captcha: 'x',
    shown_price: '99.00',
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'e30', authenticatorData: 'e30', signature: 'e30' },
    },
  }
})
afterAll(() => site.close())

it.each(guessed.map(({ path }, index) => [path, index] as const))(
  '6.11 guesses at %s come to an end',
  async (path, index) => {
    const cookie = path.startsWith('/office') ? cookies.office : path.startsWith('/console') ? cookies.console : ''
    const headers = { 'content-type': 'application/json', cookie, 'x-forwarded-for': `203.0.113.${index}` }
    const statuses = []
    for (let n = 0; n <= LIMIT; n++)
      statuses.push((await site.ask({ method: 'POST', url: `${API}${path}`, payload: input, headers })).statusCode)
    expect(statuses.at(-1), String(statuses)).toBe(429)
  },
)

it('6.11 every call that only takes chosen secrets is still there', () => {
  const paths = [calls, officeCalls, consoleCalls].flatMap((table): string[] =>
    Object.values(table).map(({ path }) => path),
  )
  expect(chosen.filter((path) => !paths.includes(path))).toEqual([])
})
