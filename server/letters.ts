import { brand } from '#contract/brand.ts'
import { limits } from '#contract/limits.ts'
import { toAmount } from '#contract/money.ts'
import type { Letter } from './gateways/mail/port.ts'
import type { World } from './world.ts'

/** The first letter to a member: what was bought, under whom, and the link that is now theirs. */
export async function welcomeLetter({ db, config }: World, member_id: string): Promise<Letter> {
  const member = await db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['first_name', 'email', 'username', 'joined_at', 'sponsor.name as sponsor_name'])
    .where('member.id', '=', member_id)
    .executeTakeFirstOrThrow()
  const lines = await db
    .selectFrom('order_line')
    .innerJoin('orders', 'orders.id', 'order_line.order_id')
    .select(['order_line.name', 'price_cents', 'grand_total'])
    .where('orders.member_id', '=', member_id)
    .execute()
  const total = toAmount(lines[0]?.grand_total ?? 0)
  const text = [
    `Hello ${member.first_name},`,
    `welcome to ${brand.name}. You joined with ${member.sponsor_name} on ${member.joined_at.toISOString().slice(0, 10)}.`,
    [
      'Your receipt:',
      ...lines.map((line) => `  ${line.name}: $${toAmount(line.price_cents)}`),
      `  Total: $${total}`,
    ].join('\n'),
    `Your membership costs $${toAmount(limits.subscription_cents)} every month until you cancel.`,
    `Your office: ${config.OFFICE_URL}\nYour own link: ${config.PUBLIC_URL}/${member.username}`,
  ]
  return { to: member.email, subject: `Welcome to ${brand.name}`, text: `${text.join('\n\n')}\n` }
}

/** To somebody whose payment was being checked and came to nothing after they may have left. */
export const unpaidLetter = (
  { config }: World,
  { email, first_name, site }: { email: string; first_name: string; site: string },
): Letter => ({
  to: email,
  subject: 'Your payment did not go through',
  text: [
    `Hello ${first_name},`,
    'your payment was being checked, and it did not go through. Nothing was charged, and you are not a member yet.',
    `If you would like to try again, perhaps with another card: ${config.PUBLIC_URL}/${site}`,
  ].join('\n\n'),
})
