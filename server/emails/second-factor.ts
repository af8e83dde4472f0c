import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads, SecondFactorChange } from '#server/jobs/queue.ts'
import { findMember } from '#server/members/members.ts'
import type { World } from '#server/world/world.ts'
import { ifNotYou } from './changes.ts'
import { emailTo } from './emails.ts'
import { paragraph } from './layout.ts'

const secondFactorChanges: Record<SecondFactorChange, string> = {
  app_on: 'An authenticator app was added. Signing in with your password now also takes a code from the app.',
  app_off: 'The authenticator app was removed.',
  passkey_added: 'A passkey was added. It opens your office, and your password alone no longer does.',
  passkey_removed: 'A passkey was removed.',
  new_recovery_codes: 'New recovery codes were made. The earlier ones no longer work.',
  recovery_code_used: 'A recovery code was used to sign in. It won’t work again.',
  removed_by_staff:
    'Our support team removed your authenticator app, your passkeys and your recovery codes, and signed you out everywhere. Your password alone now opens your office.',
}

export const secondFactorEmail = async (
  world: World,
  { member_id, change }: JobPayloads['second_factor_changed'],
): Promise<Email> =>
  emailTo(world, await findMember(world, member_id), {
    subject: 'Your two-step sign-in was changed',
    preview: secondFactorChanges[change],
    blocks: [
      paragraph(secondFactorChanges[change]),
      ...ifNotYou(world, 'change your password and sign out everywhere'),
    ],
  })
