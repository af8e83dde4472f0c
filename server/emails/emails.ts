import { type Brand, brands } from '#contract/card.ts'
import { longDay as day, timestampIn } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { Interval } from '#contract/renewal.ts'
import { brandOf, shownOperator } from '#server/brand/brand.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { acceptedBy, signedConsent } from '#server/members/consent.ts'
import { addressLinkToken } from '#server/members/email-links.ts'
import { findReferral, unsubscribeUrl } from '#server/members/join-emails.ts'
import { findMember, type MemberWithSponsor, memberOfEnrollment } from '#server/members/members.ts'
import { receiptOf } from '#server/membership/receipt.ts'
import { findMembership, renewalDay, renewalOf } from '#server/membership/summary.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import {
  acceptedText,
  type Block,
  button,
  composeEmail,
  detailsTable,
  hashLine,
  heading,
  linkBox,
  mainHeading,
  paragraph,
  receipt,
  smallPrint,
  smallPrintLink,
} from './layout.ts'
import { htmlToText } from './plain-text.ts'

/** Sent after joining: the receipt, the member's own link, and the link that confirms the address. */
export async function welcomeEmail(world: World, { member_id }: JobPayloads['welcome']): Promise<Email> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const [member, order, renews_on, { page: brand }] = await Promise.all([
    findMember(world, member_id),
    receiptOf(world, member_id),
    renewalDay(world, member_id),
    brandOf(world),
  ])
  const sponsor = carriesMessage(member.sponsor_name) ? 'your sponsor' : member.sponsor_name
  return emailTo(world, member, {
    subject: `Welcome to ${brand.name}`,
    preview: 'Your receipt, your own link, and how to sign in to your office.',
    blocks: [
      paragraph(
        `You joined with ${sponsor} on ${day(dayOf(world, member.joined_at))}. ${brand.welcome ?? 'We’re glad you’re here.'}`,
      ),
      ...(await confirmBlocks(world, member)),
      button('Open your office', OFFICE_URL),
      heading('Your link'),
      paragraph('Share this link. Anyone who joins through it becomes your referral.'),
      linkBox(`${PUBLIC_URL}/${member.username}`),
      heading('Your receipt'),
      receipt(
        order.lines.map((line) => [line.name, showPrice(line)]),
        showAmount(order.total),
        [
          ['Paid on', day(order.paid_on)],
          ...(order.card ? [['Paid with', `${order.card.brand} ending in ${order.card.last_four}`] as const] : []),
          ['Reference', order.reference],
          ['You joined with', sponsor],
        ],
      ),
      ...(await refundTerms(world)),
      heading('Your membership'),
      paragraph(
        isOnce(order)
          ? 'Your membership is paid. There are no further charges.'
          : `${costs(showAmount(order.renewal_price), order.interval)} Your first ${order.interval} is paid. Your membership renews on ${day(renews_on)} unless you cancel before then.`,
      ),
      paragraph(howToCancel(order.interval)),
      smallPrint(
        'We are sending you a copy of everything you accepted in a separate email. Please keep both for your records.',
      ),
    ],
  })
}

/** An operator's own office has no page that confirms an address. */
async function confirmBlocks(world: World, member: MemberWithSponsor): Promise<Block[]> {
  if (member.email_confirmed_at || !isOfficeOurs(world.config)) return []
  return [
    paragraph('Please confirm that this email address is yours. The link expires in one week:'),
    button('Confirm email address', confirmUrl(world, await addressLinkToken(world, member))),
  ]
}

/** The token is in the URL fragment, which browsers do not send and servers do not log. */
export const confirmUrl = ({ config }: Pick<World, 'config'>, token: string) =>
  `${config.PUBLIC_URL}/office/confirm-email#${token}`

/** Sent after joining: every text the member accepted, and a signed file that proves it. */
export async function consentEmail(world: World, { member_id }: JobPayloads['consent']): Promise<Email> {
  const { PUBLIC_URL } = world.config
  const [member, accepted, { page: brand }] = await Promise.all([
    findMember(world, member_id),
    acceptedBy(world, member_id),
    brandOf(world),
  ])
  return emailTo(world, member, {
    subject: 'Your copy of what you accepted',
    preview: 'The exact texts, when you accepted them, and a signed file that proves it.',
    blocks: [
      paragraph(`You accepted the texts below when you joined ${brand.name}. Please keep this email for your records.`),
      ...accepted.flatMap(({ title, version, accepted_at, sha256, content }) => [
        heading(title),
        detailsTable([
          ['Version', String(version)],
          ['Accepted', timestamp(world, accepted_at)],
        ]),
        hashLine('SHA-256 of the text', sha256),
        cachedTextBlock(content),
      ]),
      smallPrint(
        `The attached file consent.json contains the same texts with our signature. Anyone can verify it with our public key: ${PUBLIC_URL}/.well-known/jwks.json`,
      ),
    ],
    attachment: { filename: 'consent.json', content: signedConsent(world, member, accepted) },
  })
}

/** Most members accept the same few texts, so each is converted to plain text only once. */
function cachedTextBlock(content: string): Block {
  const block = textBlocks.get(content) ?? acceptedText(content, htmlToText(content))
  textBlocks.set(content, block)
  return block
}
const textBlocks = new Map<string, Block>()

/** Tells a member that someone joined through their link: the first name and the day, and nothing else about that person. */
export async function referralEmail(world: World, { member_id }: JobPayloads['referral']): Promise<Email | undefined> {
  const referral = await findReferral(world, member_id)
  if (!referral?.join_emails) return undefined
  const name = carriesMessage(referral.referral_name) ? 'Someone' : referral.referral_name
  const joined_on = day(dayOf(world, referral.joined_at))
  const stopUrl = unsubscribeUrl(world, referral.id)
  return emailTo(world, referral, {
    subject: 'Someone joined through your link',
    preview: `On ${joined_on}. Your office shows everyone who joined through you.`,
    blocks: [
      paragraph(`${name} joined through your link on ${joined_on}.`),
      button('Open your office', world.config.OFFICE_URL),
      smallPrintLink('You get this email whenever someone joins through your link.', 'Stop these emails', stopUrl),
    ],
    unsubscribeUrl: stopUrl,
  })
}

/** Confirms a cancellation. Not sent if the member has undone it by now. */
export async function cancellationEmail(
  world: World,
  { member_id }: JobPayloads['cancelled'],
): Promise<Email | undefined> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const member = await findMember(world, member_id)
  const { cancelled_at } = member
  if (!cancelled_at) return undefined
  const lastDay = day(await renewalDay(world, member_id))
  return emailTo(world, member, {
    subject: `Your membership ends on ${lastDay}`,
    preview: 'Your cancellation is confirmed. You can undo it until then.',
    blocks: [
      paragraph(
        `You canceled your membership on ${day(dayOf(world, cancelled_at))}. You stay a member until ${lastDay}, the end of the period you have paid for, and you won’t be charged again.`,
      ),
      paragraph(
        `After that, your site ${PUBLIC_URL}/${member.username} becomes inactive, and people can no longer join through it.`,
      ),
      heading('Changed your mind?'),
      paragraph(`You can undo the cancellation in your office until ${lastDay}. Nothing else changes.`),
      button('Open your office', OFFICE_URL),
      smallPrint('If you didn’t cancel, undo the cancellation in your office and change your password.'),
    ],
  })
}

/** Confirms that a cancellation was undone, or that a member is back. Not sent if the member has canceled again by now. */
export async function resumedEmail(
  world: World,
  { member_id, is_back }: JobPayloads['kept'],
): Promise<Email | undefined> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const [member, membership] = await Promise.all([findMember(world, member_id), findMembership(world.db, member_id)])
  if (member.cancelled_at) return undefined
  const { renews_on, price } = renewalOf(world, membership)
  const next = membership.lines.length
    ? `${costs(price, membership.billing_interval)} It renews on ${day(renews_on)}.`
    : 'It’s paid for, and you won’t be charged again.'
  return emailTo(world, member, {
    subject: is_back ? 'Welcome back' : 'Your membership continues',
    preview: `${is_back ? 'Your membership is active again.' : 'Your membership is no longer canceled.'} ${next}`,
    blocks: [
      paragraph(`Your membership ${is_back ? 'is active again' : 'continues as before'}. ${next}`),
      paragraph(is_back ? 'Your link works again:' : 'Your link still works:'),
      linkBox(`${PUBLIC_URL}/${member.username}`),
      button('Open your office', OFFICE_URL),
    ],
  })
}

export type Recipient = { email: string; first_name: string; email_confirmed_at?: Date | null }

/** Sent when a payment under review fails, because the visitor may have left the page by then. */
export const unpaidEmail = (world: World, { site, ...to }: Recipient & { site: string }): Promise<Email> =>
  emailTo(world, to, {
    subject: 'Your payment did not go through',
    preview: 'Nothing was charged, and you can try again.',
    blocks: [
      paragraph(
        'We checked your payment, and it did not go through. Nothing was charged, and you are not a member yet.',
      ),
      paragraph('You can try again with the same card or another one.'),
      button('Try again', `${world.config.PUBLIC_URL}/${site}`),
    ],
  })

/** That email, unless the visitor has joined with another card in the meantime. */
export async function unpaidEmailFor(world: World, visitor: JobPayloads['unpaid']) {
  return (await memberOfEnrollment(world.db, visitor.enrollment_id)) ? undefined : unpaidEmail(world, visitor)
}

/** Nothing in the order renews. */
const isOnce = ({ renewal_price }: { renewal_price: string }) => Number(renewal_price) === 0

const costs = (price: string, interval: Interval) => `Your membership costs ${price} a ${interval} until you cancel.`

export const howToCancel = (interval: Interval) =>
  `You can cancel in your office at any time. You then stay a member until the end of the paid ${interval}.`

type StoredCard = { card_brand: string | null; card_last_four: string | null }

/** 'Visa ending in 4242', or 'card' if we do not know it. */
export const nameCard = ({ card_brand, card_last_four }: StoredCard): string =>
  card_last_four ? `${brands[card_brand as Brand]?.name ?? 'card'} ending in ${card_last_four}` : 'card'

type Content = Omit<Parameters<typeof composeEmail>[0], 'to' | 'from' | 'operator'>

export async function emailTo(world: World, to: Recipient, { blocks, ...content }: Content): Promise<Email> {
  const brand = await brandOf(world)
  const email = {
    ...content,
    to: to.email,
    from: world.config.PUBLIC_URL,
    operator: shownOperator(world, brand),
    blocks: [mainHeading(content.subject), greeting(to), ...blocks],
  }
  return composeEmail(email, brand)
}

/** Below a receipt: the operator's refund terms and contact. */
export async function refundTerms(world: World): Promise<Block[]> {
  const { refunds, support } = shownOperator(world, await brandOf(world))
  return [
    ...(refunds ? [smallPrint(`Refunds: ${refunds}`)] : []),
    ...(support ? [smallPrint(`Questions about this payment? Contact us: ${support.text}`)] : []),
  ]
}

/** Without a name until someone has confirmed the address: a stranger may have typed both. */
const greeting = ({ first_name, email_confirmed_at }: Recipient) =>
  paragraph(email_confirmed_at && !carriesMessage(first_name) ? `Hello ${first_name},` : 'Hello,')

/**
 * Names are free text, so a stranger could send links or phone numbers in our emails. We leave such names out, and no subject
 * has a name in it. Mail clients also turn 'win.example' into a link.
 */
const carriesMessage = (name: string) =>
  /[\p{L}\p{N}]\.[\p{L}\p{N}]|[/:@]/u.test(name) ||
  (name.match(/\p{N}/gu) ?? []).length > 2 ||
  name.trim().split(/\s+/).length > 5

/** 'Nov 15, 2026, 12:00:00 UTC' */
export const timestamp = ({ config }: Pick<World, 'config'>, time: Date) => timestampIn(config.TIME_ZONE, time)
