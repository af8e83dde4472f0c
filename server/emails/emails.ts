import { brand } from '#contract/brand.ts'
import { figures } from '#contract/figures.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { renewsOn } from '#contract/renewal.ts'
import { findMember } from '#server/enrollment/members.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import { acceptedBy, signedConsent } from '#server/office/consent.ts'
import { receiptOf } from '#server/office/view.ts'
import type { World } from '#server/world.ts'
import {
  acceptedText,
  address,
  type Block,
  button,
  code,
  composeEmail,
  facts,
  heading,
  mainHeading,
  paragraph,
  receipt,
  smallPrint,
} from './layout.ts'
import { htmlToText } from './plain-text.ts'

/** The first letter to a member: what was bought, under whom, and the link that is now theirs. */
export async function welcomeEmail(world: World, { member_id }: JobPayloads['welcome']): Promise<Email> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const [member, bought] = await Promise.all([findMember(world, member_id), receiptOf(world, member_id)])
  const sponsor = looksLikeLink(member.sponsor_name) ? 'your sponsor' : member.sponsor_name
  return letter(world, member, {
    subject: `Welcome to ${brand.name}`,
    preview: `Your receipt, your own link, and the way into your office.`,
    blocks: [
      paragraph(`You joined with ${sponsor} on ${day(member.joined_at)}. It is good to have you here.`),
      button('Open your office', OFFICE_URL),
      heading('Your own link'),
      paragraph('Whoever opens it can join with you. Share it with the people you would like to bring.'),
      address(`${PUBLIC_URL}/${member.username}`),
      heading('Your receipt'),
      receipt(
        bought.lines.map(({ name, price }) => [name, showAmount(price)]),
        showAmount(bought.total),
        [
          ['Paid on', day(bought.paid_on)],
          ['Reference', bought.reference],
          ['You joined with', sponsor],
        ],
      ),
      heading('Your membership'),
      paragraph(
        `${costs} This month is paid; the next one begins on ${day(renewsOn(member.joined_at))}, unless you have cancelled before.`,
      ),
      paragraph(
        'You can cancel whenever you like, in your office. Your membership then lasts until the end of its month.',
      ),
      smallPrint('A copy of everything you accepted comes in a letter of its own. Please keep both.'),
    ],
  })
}

/** What a member accepted, to keep: every text, and a signed file that proves it. */
export async function consentEmail(world: World, { member_id }: JobPayloads['consent']): Promise<Email> {
  const { PUBLIC_URL } = world.config
  const [member, accepted] = await Promise.all([findMember(world, member_id), acceptedBy(world, member_id)])
  return letter(world, member, {
    subject: 'What you accepted: your copy',
    preview: 'The exact texts, when you accepted them, and a signed file that proves it.',
    blocks: [
      paragraph(
        `When you joined ${brand.name} you accepted the texts below. This letter is your copy; please keep it.`,
      ),
      ...accepted.flatMap(({ title, version, accepted_at, sha256, content }) => [
        heading(title),
        facts([
          ['Version', String(version)],
          ['Accepted', moment(accepted_at)],
        ]),
        code('SHA-256 of the text', sha256),
        inLetter(content),
      ]),
      smallPrint(
        `The attached file consent.json holds the same texts with our signature. Whoever doubts them can check it with our public key: ${PUBLIC_URL}/.well-known/jwks.json`,
      ),
    ],
    attachment: { filename: 'consent.json', content: signedConsent(world, member, accepted) },
  })
}

/** A text that very many accept is made ready to read once. */
function inLetter(content: string): Block {
  const ready = readied.get(content) ?? acceptedText(content, htmlToText(content))
  readied.set(content, ready)
  return ready
}
const readied = new Map<string, Block>()

/** Confirms a cancellation, unless it was taken back while the letter waited: when it ends, what happens then, and the way back. */
export async function cancelledEmail(
  world: World,
  { member_id }: JobPayloads['cancelled'],
): Promise<Email | undefined> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const member = await findMember(world, member_id)
  const { cancelled_at, joined_at } = member
  if (!cancelled_at) return undefined
  const last = renewsOn(joined_at, cancelled_at)
  return letter(world, member, {
    subject: 'Your membership is cancelled',
    preview: `It lasts until ${day(last)}. Until then you can take it back.`,
    blocks: [
      paragraph(
        `You cancelled your membership on ${day(cancelled_at)}. It lasts until ${day(last)}, the end of the month that has begun. No other month follows.`,
      ),
      paragraph(
        `Then your site, ${PUBLIC_URL}/${member.username}, turns inactive, and nobody can join through it any more.`,
      ),
      heading('If you change your mind'),
      paragraph(`Until ${day(last)} you can take the cancellation back in your office, and everything stays as it is.`),
      button('Open your office', OFFICE_URL),
      smallPrint('If it was not you who cancelled, take it back in your office and change your password.'),
    ],
  })
}

/** Confirms that a cancellation was taken back, unless there is another one by now. */
export async function resumedEmail(world: World, { member_id }: JobPayloads['kept']): Promise<Email | undefined> {
  const { PUBLIC_URL, OFFICE_URL } = world.config
  const member = await findMember(world, member_id)
  if (member.cancelled_at) return undefined
  return letter(world, member, {
    subject: 'Your membership goes on',
    preview: 'You took your cancellation back. Everything stays as it was.',
    blocks: [
      paragraph(
        `You took your cancellation back, and we are glad. Everything stays as it was. ${costs} The next month begins on ${day(renewsOn(member.joined_at, world.now()))}.`,
      ),
      paragraph('Your own link stays yours:'),
      address(`${PUBLIC_URL}/${member.username}`),
      button('Open your office', OFFICE_URL),
    ],
  })
}

type Addressee = { email: string; first_name: string }

/** To somebody whose payment was being checked and came to nothing after they may have left. */
export const unpaidEmail = (world: World, { site, ...to }: Addressee & { site: string }): Email =>
  letter(world, to, {
    subject: 'Your payment did not go through',
    preview: 'Nothing was charged, and you can try again.',
    blocks: [
      paragraph(
        'Your payment was being checked, and it did not go through. Nothing was charged, and you are not a member yet.',
      ),
      paragraph('If you would like to try again, perhaps with another card, you are welcome.'),
      button('Try again', `${world.config.PUBLIC_URL}/${site}`),
    ],
  })

/** The way to a new password. The word stands behind the '#', where no server and no log sees it. */
export const passwordResetEmail = (world: World, { word, ...to }: Addressee & { word: string }): Email =>
  letter(world, to, {
    subject: 'Set a new password',
    preview: 'The link is good for one hour and works once.',
    blocks: [
      paragraph('You asked for a new password. This link is good for one hour and works once:'),
      button('Set a new password', `${world.config.PUBLIC_URL}/office/new-password#${word}`),
      smallPrint('If it was not you who asked, there is nothing to do: your password stays as it is.'),
    ],
  })

/** To a new address, which counts only once its reader says so. */
export const confirmAddressEmail = (world: World, { word, ...to }: Addressee & { word: string }): Email =>
  letter(world, to, {
    subject: 'Confirm your email address',
    preview: 'One press, and our letters come here.',
    blocks: [
      paragraph(
        `This address is to become the one of your ${brand.name} membership. Please confirm that it is yours. The link is good for one day and works once:`,
      ),
      button('Confirm this address', `${world.config.PUBLIC_URL}/office/confirm-email#${word}`),
      smallPrint('If you do not know what this is about, there is nothing to do: without this link nothing changes.'),
    ],
  })

/** To the old address: whoever took the account over cannot keep its owner from hearing of it. */
export const addressChangedEmail = (world: World, { new_email, ...to }: JobPayloads['email_changed']): Email =>
  letter(world, to, {
    subject: 'Your email address was changed',
    preview: 'From now on our letters go to another address.',
    blocks: [
      paragraph(
        `From now on our letters go to ${partly(new_email)} instead of this address, and you sign in with the new one.`,
      ),
      ...ifNotYou(world, 'change your password and the address back'),
    ],
  })

export const passwordChangedEmail = async (
  world: World,
  { member_id }: JobPayloads['password_changed'],
): Promise<Email> =>
  letter(world, await findMember(world, member_id), {
    subject: 'Your password was changed',
    preview: 'Every other browser was signed out.',
    blocks: [
      paragraph('The password of your office was changed, and every other browser was signed out.'),
      ...ifNotYou(world, 'ask for a new password at once'),
    ],
  })

const ifNotYou = ({ config }: World, what: string): Block[] => [
  paragraph(
    `If it was you, there is nothing to do. If it was not, open your office and ${what}. If you cannot get in any more, answer this letter.`,
  ),
  button('Open your office', config.OFFICE_URL),
]

const costs = `Your membership costs ${showAmount(toAmount(figures.subscription_cents))} a month until you cancel.`

type Said = Omit<Parameters<typeof composeEmail>[0], 'to' | 'from'>

const letter = ({ config }: World, to: Addressee, { blocks, ...said }: Said): Email =>
  composeEmail({
    ...said,
    to: to.email,
    from: config.PUBLIC_URL,
    blocks: [mainHeading(said.subject), greeting(to.first_name), ...blocks],
  })

const greeting = (first_name: string) => paragraph(looksLikeLink(first_name) ? 'Hello,' : `Hello ${first_name},`)

/** Mail readers make links of what looks like one: such a name is not repeated to whoever opens the letter. */
const looksLikeLink = (name: string) => /[\p{L}\p{N}]\.[\p{L}\p{N}]|[/:@]/u.test(name)

/** 'November 15, 2026', the same for every reader. */
const day = (date: Date | string) => longDay.format(new Date(date))
const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** 'Nov 15, 2026, 12:00:00 UTC' */
const moment = (date: Date) => `${toTheSecond.format(date)} UTC`
const toTheSecond = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** 'n•••@•••.example': its owner knows it again, a stranger does not. */
const partly = (email: string) => `${[...email][0]}•••@•••${/\.[^.@]*$/.exec(email)?.[0] ?? ''}`
