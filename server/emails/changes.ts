import { fullTimeIn } from '#contract/days.ts'
import { brandOf } from '#server/brand/brand.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads, WhoChanged } from '#server/jobs/queue.ts'
import { addressLinkToken, findNewestLink, linkToken } from '#server/members/email-links.ts'
import { findMember } from '#server/members/members.ts'
import { makeInvitationLink, makeResetLink, type ResetProof } from '#server/members/new-password.ts'
import type { World } from '#server/world/world.ts'
import { confirmUrl, emailTo, nameCard, type Recipient } from './emails.ts'
import { type Block, button, linkBox, paragraph, smallPrint } from './layout.ts'

/** Links that prove something, and what was changed: the owner of an account must hear of it, whoever did it. */

type Reset = Recipient & { token: string; proof: ResetProof }

/** Undefined if no email is due. */
export async function passwordResetEmailFor(world: World, payload: JobPayloads['forgotten']) {
  const reset = await makeResetLink(world, payload)
  return reset && passwordResetEmail(world, reset)
}

export const passwordResetEmail = (world: World, { token, proof, ...to }: Reset): Promise<Email> =>
  proof === 'support' ? noResetEmail(world, to) : resetLinkEmail(world, { ...to, token, asksCard: proof === 'card' })

/** Undefined if the member has set a password, was erased, or uses the operator's own office. */
export async function invitationEmailFor(
  world: World,
  { member_id }: JobPayloads['invitation'],
): Promise<Email | undefined> {
  const invitation = isOfficeOurs(world.config) ? await makeInvitationLink(world, member_id) : undefined
  return invitation && invitationEmail(world, invitation)
}

type Invitation = Recipient & { username: string; token: string; asksCard: boolean }

export const invitationEmail = async (world: World, { username, token, asksCard, ...to }: Invitation) => {
  const { name } = (await brandOf(world)).page
  return emailTo(world, to, {
    subject: `Set your password for ${name}`,
    preview: 'We’ve moved your membership to a new online office.',
    blocks: [
      paragraph(
        `We’ve moved your ${name} membership to a new online office. Your username is ${username}. Choose a password with this link. It works once and expires in two weeks:`,
      ),
      button('Set your password', newPasswordUrl(world, token, asksCard)),
      ...(asksCard ? [paragraph('The page also asks for the last four digits of the card you pay with.')] : []),
      smallPrint('Your price and your renewal day stay the same.'),
    ],
  })
}

const newPasswordUrl = ({ config }: World, token: string, asksCard: boolean) =>
  `${config.PUBLIC_URL}/office/${asksCard ? 'new-password-with-card' : 'new-password'}#${token}`

const resetLinkEmail = (world: World, { token, asksCard, ...to }: Recipient & { token: string; asksCard: boolean }) =>
  emailTo(world, to, {
    subject: 'Reset your password',
    preview: 'This link expires in one hour.',
    blocks: [
      paragraph(
        'We received a request to reset your password. Choose a new one with this link. It works once and expires in one hour:',
      ),
      button('Reset your password', newPasswordUrl(world, token, asksCard)),
      ...(asksCard
        ? [
            paragraph(
              'You haven’t confirmed this email address yet, so the page also asks for the last four digits of the card you pay with.',
            ),
          ]
        : []),
      smallPrint('If you didn’t ask for this, you can ignore this email. Your password stays the same.'),
    ],
  })

/** Neither the address nor a card can show that it is the member who asks. */
const noResetEmail = (world: World, to: Recipient) =>
  emailTo(world, to, {
    subject: 'We can’t reset your password by email',
    preview: 'Please reply to this email, and we’ll help you.',
    blocks: [
      paragraph(
        'We received a request to reset your password. This email address was never confirmed, and there is no card on file that we could ask about. Please reply to this email, and we’ll help you sign in.',
      ),
      smallPrint('If you didn’t ask for this, you can ignore this email. Your password stays the same.'),
    ],
  })

/** Sent to a new address, which takes effect only when it is confirmed. */
export const confirmAddressEmail = async (
  world: World,
  { token, ...to }: Recipient & { token: string },
): Promise<Email> =>
  emailTo(world, to, {
    subject: 'Confirm your email address',
    preview: 'This link expires in one day.',
    blocks: [
      paragraph(
        `You asked to use this email address for your ${(await brandOf(world)).page.name} membership. Please confirm that it is yours. The link works once and expires in one day:`,
      ),
      button('Confirm email address', confirmUrl(world, token)),
      smallPrint('If you didn’t ask for this, you can ignore this email. Nothing changes until you confirm.'),
    ],
  })

/** Sent to the current address, if it is not confirmed. */
export const confirmCurrentAddressEmail = async (
  world: World,
  { token, ...to }: Recipient & { token: string },
): Promise<Email> =>
  emailTo(world, to, {
    subject: 'Confirm your email address',
    preview: 'This link expires in one week.',
    blocks: [
      paragraph(
        `This is the email address of your ${(await brandOf(world)).page.name} membership. Please confirm that it is yours. The link expires in one week:`,
      ),
      button('Confirm email address', confirmUrl(world, token)),
      smallPrint('If you are not a member, someone mistyped their address. You can ignore this email.'),
    ],
  })

/** Sent to the old address, so that an attacker cannot change the address unnoticed. */
export const addressChangedEmail = (
  world: World,
  { new_email, who, at, ...to }: JobPayloads['email_changed'],
): Promise<Email> =>
  emailTo(world, to, {
    subject: 'Your email address was changed',
    preview: 'We now send your emails to another address.',
    blocks: [
      paragraph(
        `The email address of your membership was changed to ${maskEmail(new_email)}${whoAndWhen(world, who, at)}. From now on we send emails there, and you use it to sign in.`,
      ),
      ...ifNotYou(world, 'change your password and your email address'),
    ],
  })

export const passwordChangedEmail = async (
  world: World,
  { member_id, who, at }: JobPayloads['password_changed'],
): Promise<Email> =>
  emailTo(world, await findMember(world, member_id), {
    subject: 'Your password was changed',
    preview: 'All other browsers were signed out.',
    blocks: [
      paragraph(
        `The password of your office was changed${whoAndWhen(world, who, at)}. All other browsers were signed out.`,
      ),
      ...ifNotYou(world, 'reset your password right away'),
    ],
  })

export async function phoneChangedEmail(
  world: World,
  { member_id, masked_phone, who, at }: JobPayloads['phone_changed'],
): Promise<Email> {
  return emailTo(world, await findMember(world, member_id), {
    subject: 'Your phone number was changed',
    preview: `It now ends in ${masked_phone.slice(-2)}.`,
    blocks: [
      paragraph(`The phone number of your membership was changed to ${masked_phone}${whoAndWhen(world, who, at)}.`),
      ...ifNotYou(world, 'change your password and your phone number'),
    ],
  })
}

export async function cardChangedEmail(
  world: World,
  { member_id, at, ...card }: JobPayloads['card_changed'],
): Promise<Email> {
  return emailTo(world, await findMember(world, member_id), {
    subject: 'Your card was changed',
    preview: `From now on, we’ll charge your ${nameCard(card)}.`,
    blocks: [
      paragraph(
        `The card for your membership was changed to ${nameCard(card)}${whoAndWhen(world, 'office', at)}. We’ll charge this card from now on.`,
      ),
      ...ifNotYou(world, 'change your password and your card'),
    ],
  })
}

export async function usernameChangedEmail(
  world: World,
  { member_id, old_username, at }: JobPayloads['username_changed'],
): Promise<Email> {
  const member = await findMember(world, member_id)
  const { PUBLIC_URL } = world.config
  return emailTo(world, member, {
    subject: 'Your username was changed',
    preview: `Your username is now ${member.username}.`,
    blocks: [
      paragraph(
        `Your username was changed from ${old_username} to ${member.username}${whoAndWhen(world, 'office', at)}. This is your new link:`,
      ),
      linkBox(`${PUBLIC_URL}/${member.username}`),
      paragraph(
        `Your old link, ${PUBLIC_URL}/${old_username}, still works: it leads to the new one. You can sign in with either username.`,
      ),
      ...ifNotYou(world, 'change your password'),
    ],
  })
}

const places: Record<WhoChanged, string> = {
  office: ' in your office',
  link: ' with the link that we emailed you',
  team: ' by our team',
}

/** ' in your office on Nov 15, 2026, 7:00 AM EST'. Emails that waited while Foyer was updated do not say. */
const whoAndWhen = (world: World, who?: WhoChanged, at?: string): string =>
  who && at ? `${places[who]} on ${fullTimeIn(world.config.TIME_ZONE, new Date(at))}` : ''

export const ifNotYou = ({ config }: World, advice: string): Block[] => [
  paragraph(
    `If this was you, there’s nothing to do. If it wasn’t, open your office and ${advice}. If you can’t sign in, reply to this email.`,
  ),
  button('Open your office', config.OFFICE_URL),
]

/** 'n•••@•••.example': the owner recognizes it, a stranger does not. */
export const maskEmail = (email: string) => `${[...email][0]}•••@•••${/\.[^.@]*$/.exec(email)?.[0] ?? ''}`

/** The email to a new address, unless the link was used or replaced in the meantime. */
export async function confirmAddressEmailFor(world: World, { member_id }: JobPayloads['confirm_email']) {
  const link = await findNewestLink(world, 'email', member_id)
  if (!link?.email) return undefined
  const { first_name } = await findMember(world, member_id)
  return confirmAddressEmail(world, { email: link.email, first_name, token: linkToken(world, link) })
}

/** The email with the link for the current address, unless it was confirmed in the meantime. */
export async function confirmCurrentAddressEmailFor(world: World, { member_id }: JobPayloads['confirm_address']) {
  const member = await findMember(world, member_id)
  if (member.email_confirmed_at || !member.email) return undefined
  return confirmCurrentAddressEmail(world, { ...member, token: await addressLinkToken(world, member) })
}
