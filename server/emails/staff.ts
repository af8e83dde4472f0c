import { formatWait } from '#server/abuse/limits.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import type { JobPayloads } from '#server/jobs/queue.ts'
import type { World } from '#server/world/world.ts'
import { emailTo } from './emails.ts'
import { button, hashLine, paragraph } from './layout.ts'

export const guessesEmail = (world: World, payload: JobPayloads['staff_guesses']) =>
  aboutColleague(world, payload, 'Failed sign-ins to the console', ({ email, isOwn }) =>
    isOwn
      ? [
          'Someone entered a wrong password or code for your console sign-in many times today. Password sign-in from a new browser is blocked for now, which can last a day. Browsers you’ve used before and passkeys still work.',
          'If this wasn’t you, change your password in the console under Your access, and tell an owner.',
        ]
      : [
          `Someone entered a wrong password or code for the console sign-in of ${email} many times today. Password sign-in from a new browser is blocked for now, which can last a day. Browsers they’ve used before and passkeys still work.`,
          'If it wasn’t them, ask them to change their password or add a passkey.',
        ],
  )

export const membersReadEmail = (world: World, payload: JobPayloads['members_read']) =>
  aboutColleague(world, payload, 'Too many member pages opened in the console', ({ email, isOwn }) => {
    const { max, seconds } = world.config.LIMIT_MEMBERS_READ
    return [
      `${isOwn ? 'Someone signed in as you' : email} opened ${max} pages that show members in the console within ${formatWait(seconds)}. We’re blocking more for now.`,
      isOwn
        ? 'If this wasn’t you, sign out of all other browsers in the console under Your access, and tell an owner.'
        : 'If that isn’t part of their work, remove their access in the console under Staff.',
    ]
  })

/** For a colleague, or for an owner about a colleague. Nothing if one of them has left. */
async function aboutColleague(
  world: World,
  { staff_id, recipient_id }: JobPayloads['staff_guesses'],
  subject: string,
  write: (colleague: { email: string; isOwn: boolean }) => [what: string, advice: string],
): Promise<Email | undefined> {
  const [colleague, recipient] = await Promise.all([staff_id, recipient_id].map((id) => findStaff(world, id)))
  if (!colleague || !recipient) return undefined
  const [what, advice] = write({ email: colleague.email, isOwn: staff_id === recipient_id })
  return emailTo(world, toColleague(recipient), {
    subject,
    preview: what,
    blocks: [paragraph(what), paragraph(advice)],
  })
}

const AFTER_A_FAILOVER =
  'If you restored the database, or a failover lost its newest rows, that’s expected: acknowledge the report in the console under Audit log. There may be more reports there.'

/** Outside the database, so that no one who changes it can change this. */
export async function sealEmail(
  world: World,
  { recipient_id, seal, problems }: JobPayloads['audit_seal'],
): Promise<Email | undefined> {
  const recipient = await findStaff(world, recipient_id)
  if (!recipient) return undefined
  const [subject, text] = problems.length
    ? [
        'A log may have been changed in the database',
        'Someone may have changed the audit log or the security log in the database:',
      ]
    : ['Seal of the audit log', 'Please keep this email. You’ll need it to tell if rows are removed later.']
  return emailTo(world, toColleague(recipient), {
    subject,
    preview: problems[0] ?? text,
    blocks: [
      paragraph(text),
      ...problems.map(paragraph),
      ...(problems.length ? [paragraph(AFTER_A_FAILOVER)] : []),
      hashLine('Seal', seal),
      hashLine('Check the log with', `npm run staff -- audit ${seal}`),
    ],
  })
}

/** Tells staff who can turn the webhook on again. Undefined if it's already on. */
export async function webhookOffEmail(
  world: World,
  { recipient_id, endpoint_id, why }: JobPayloads['webhook_off'],
): Promise<Email | undefined> {
  const [recipient, endpoint] = await Promise.all([
    findStaff(world, recipient_id),
    world.db.selectFrom('webhook_endpoint').selectAll().where('id', '=', endpoint_id).executeTakeFirst(),
  ])
  if (!recipient || !endpoint || endpoint.state === 'on') return undefined
  const { host } = new URL(endpoint.url)
  const what =
    why === 'gone'
      ? `${host} says that your webhook’s address is gone (status 410), so we turned the webhook off.`
      : `Every delivery to your webhook at ${host} has failed for five days, so we turned the webhook off.`
  return emailTo(world, toColleague(recipient), {
    subject: `We turned off the webhook to ${host}`,
    preview: what,
    blocks: [
      paragraph(what),
      paragraph(
        'No events are lost. Fix the receiver and turn the webhook back on within 90 days, and we’ll send everything it missed.',
      ),
      button('Open the webhook', `${world.config.PUBLIC_URL}/console/webhooks/${endpoint_id}`),
    ],
  })
}

/** Colleagues get their invitation at this address. */
const toColleague = ({ email, name, created_at }: { email: string; name: string; created_at: Date }) => ({
  email,
  first_name: name,
  email_confirmed_at: created_at,
})

const findStaff = ({ db }: World, id: string) =>
  db
    .selectFrom('staff')
    .select(['name', 'email', 'created_at'])
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
