import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { calls } from '#contract/api.ts'
import { fields, messagesByField, takenMessages } from '#contract/fields.ts'
import { reservedWords } from '#contract/site.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { refuseBlocked, refuseNewcomers } from '#server/abuse/restrictions.ts'
import { ourCategory } from '#server/catalog/catalog.ts'
import { countFields, countStep } from '#server/funnel/funnel.ts'
import type { Handlers } from '#server/http/handlers.ts'
import { toDialable } from '#server/phone/numbers.ts'
import { sendCode, verifyCode, withStatusZero } from '#server/phone/phone.ts'
import { Refusal, refuseField } from '#server/refusal.ts'
import { recordPageHit } from '#server/sponsors/page-hits.ts'
import type { Answer } from './calls.ts'
import { HostAway, type Order } from './catalog.ts'
import { enroll, enrollmentStatus } from './enrollment.ts'
import { publicSponsor, sponsorOrMaster } from './landing.ts'
import { withOurPicture } from './pictures.ts'
import type { Provider } from './provider.ts'
import type { ProviderVisitor } from './visitor.ts'

type ProviderHandlers = Handlers<typeof calls, ProviderVisitor>

/** The page's calls. We forward them to the host; captcha, traps, limits, breakers and the funnel are ours. */
export function providerHandlers(provider: Provider): ProviderHandlers {
  const { world, catalog } = provider
  return {
    getPackages: async (_world, category) =>
      isDeepStrictEqual(category, ourCategory(world.config))
        ? (await catalog.packages().catch(refuseWhileAway)).map(withOurPicture)
        : [],
    getLegalDocuments: () => catalog.documents().catch(refuseWhileAway),
    sumOrder: (_world, order) => sumOrder(provider, order),
    getSponsor: async (_world, { sponsor_site }) =>
      publicSponsor(world, await sponsorOrMaster(catalog, sponsor_site).catch(refuseWhileAway)),

    validateEmail: async (_world, { email }, visitor) => ({
      email: await availability(provider, 'email', email, visitor),
    }),
    validateUsername: async (_world, { username }, visitor) => ({
      username: await availability(provider, 'username', username, visitor),
    }),

    async addEnrollment(_world, order, visitor) {
      countStep(world, 'pay', visitor)
      const dialable = { ...order, mobile_phone: await toDialable(order.mobile_phone) }
      const reply = await enroll(provider, dialable, visitor).catch((error: unknown) => {
        if (error instanceof Refusal) countFields(world, Object.keys(error.details.fields ?? {}))
        throw error
      })
      if (reply.payment === 'Approved') countStep(world, 'joined', visitor)
      return reply
    },
    getStatus: (_world, _input, visitor) => enrollmentStatus(provider, visitor),

    sendVerificationCode: async (_world, { phone_number, captcha }, visitor) =>
      withStatusZero(
        requestCode(provider, { mobile_phone: await toDialable(phone_number), channel: 'sms', captcha }, visitor),
      ),
    async verifyCode(_world, { phone_number, code }, visitor) {
      const attempt = { mobile_phone: await toDialable(phone_number), code }
      return withStatusZero(
        refuseBlocked(world, visitor).then(() => verifyCode(world, attempt, visitor, enrollmentOf(visitor))),
      )
    },
    async verifyCall(_world, { cellphone, captcha }, visitor) {
      const request = { mobile_phone: await toDialable(cellphone), channel: 'call', captcha } as const
      const { status, ...reply } = await withStatusZero(requestCode(provider, request, visitor))
      return { success: status === 1, ...reply }
    },

    async hitPage(_world, { sponsor_site }, visitor) {
      const find = () => sponsorOrMaster(catalog, sponsor_site).catch(refuseWhileAway)
      const isNew = await recordPageHit(world, { sponsor_site }, visitor, find)
      if (isNew) void provider.ask('hitPage', {}, { site: sponsor_site }) // the visitor doesn't wait for it
      return {}
    },
    async getChallenge(_world, _input, visitor) {
      await countAgainstLimit(world, 'LIMIT_CHALLENGES', visitor.address)
      return world.captcha.challenge()
    },
  }
}

/** For data the page can't do without: it shows the spec's error dialog. */
function refuseWhileAway(error: unknown): never {
  throw error instanceof HostAway ? new Refusal(502, AWAY) : error
}
const AWAY = 'This can’t be loaded right now. Please try again in a moment.'

/** Always asks the host: it sets the price. */
async function sumOrder({ ask }: Provider, order: Order) {
  if (!Object.values(order).some(Boolean)) return { grand_total: '0.00' }
  const answer = await ask('total', { ...order })
  if (answer.is === 'answer') return { grand_total: answer.value }
  throw answer.is === 'refused' && answer.message ? refuseField('product_ids', answer.message) : new Refusal(502, AWAY)
}

type Kind = 'email' | 'username'

/** Our own rules come first: an invalid value isn't forwarded, and a reserved word couldn't be a link on this site. */
async function availability({ ask, world }: Provider, kind: Kind, text: string, visitor: ProviderVisitor) {
  await refuseBlocked(world, visitor)
  await countAgainstLimit(world, 'LIMIT_LOOKUPS', visitor.address)
  countStep(world, 'details', visitor)
  const { data, error } = fields[kind].safeParse(text)
  if (error) return Object.values(messagesByField(error.issues)).flat()
  if (kind === 'username' && reservedWords.has(data)) return [takenMessages.username]
  return messagesOf(kind, await ask(kind, { [kind]: data }))
}

function messagesOf(kind: Kind, answer: Answer<'Available' | string[]>): 'Available' | string[] {
  if (answer.is === 'answer') return answer.value
  const said = answer.is === 'refused' ? (answer.fields[kind] ?? [answer.message].filter(Boolean)) : []
  if (said.length) return said
  throw new Refusal(502, AWAY)
}

/** Doesn't send a code to someone who can't join. */
async function requestCode(
  { world }: Provider,
  request: Parameters<typeof sendCode>[1],
  visitor: ProviderVisitor,
): ReturnType<typeof sendCode> {
  await refuseNewcomers(world, visitor)
  countStep(world, 'code', visitor)
  return sendCode(world, request, visitor, enrollmentOf(visitor))
}

/** The visitor's enrollment, or a new one. */
const enrollmentOf = (visitor: ProviderVisitor): string => {
  if (visitor.enrollment_id) return visitor.enrollment_id
  const enrollment_id = randomUUID()
  visitor.setEnrollmentCookie(enrollment_id, [])
  return enrollment_id
}
