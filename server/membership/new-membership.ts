import type { Brand } from '#contract/card.ts'
import { intervalOf } from '#contract/packages.ts'
import { periodStart } from '#contract/renewal.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import type { Approval } from '#server/gateways/payment/port.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { nextNotice } from './notices.ts'

type Joined = {
  member_id: string
  amount_cents: number
  lines: (Omit<RenewalLine, 'announced'> & Pick<Tables['order_line'], 'list' | 'billing_interval'>)[]
  approval: CardOnFile
}

/** What we keep of the card that paid first. */
export type CardOnFile = Pick<Approval, 'vault_reference' | 'network_transaction_id' | 'card'>

export const cardColumns = ({ network_transaction_id, card }: CardOnFile) => ({
  network_transaction_id: network_transaction_id ?? null,
  card_brand: card?.brand ?? null,
  card_last_four: card?.last_four ?? null,
  card_expires: card?.expires ?? null,
})

type CardRow = Pick<Tables['payment'], keyof ReturnType<typeof cardColumns>> & { vault_reference: string }

/** The opposite, for an attempt that the journal knows and no process remembers. */
export const storedCard = (row: CardRow): CardOnFile => ({
  vault_reference: row.vault_reference,
  ...(row.network_transaction_id ? { network_transaction_id: row.network_transaction_id } : {}),
  ...(row.card_brand && row.card_last_four && row.card_expires
    ? { card: { brand: row.card_brand as Brand, last_four: row.card_last_four, expires: row.card_expires } }
    : {}),
})

/** The rows of a membership whose first month has just been paid. */
export function newMembership(
  world: Pick<World, 'config' | 'now'>,
  { member_id, amount_cents, lines, approval }: Joined,
) {
  const anchor_on = todayOf(world)
  const renewing = lines.filter(({ renewal_cents }) => renewal_cents > 0)
  const billing_interval = intervalOf(renewing)
  const ends_on = periodStart(anchor_on, 1, billing_interval)
  const card = cardColumns(approval)
  const notice = renewing.length ? nextNotice({ anchor_on, card_expires: card.card_expires }, anchor_on) : undefined
  const renewalLines = JSON.stringify(
    renewing.map(({ product_id, name, renewal_cents }): RenewalLine => ({ product_id, name, renewal_cents })),
  )
  return {
    membership: {
      member_id,
      state: 'active' as const,
      anchor_on,
      anchor_period: 0,
      billing_interval,
      period: 0,
      declines: 0,
      due_at: renewing.length ? dueAt(world, member_id, ends_on) : null,
      lines: renewalLines,
      vault_reference: approval.vault_reference,
      ...card,
      series_cents: amount_cents,
      notice_at: notice ? dueAt(world, member_id, notice) : null,
      joined_at: world.now(),
    },
    period: {
      member_id,
      n: 0,
      starts_on: anchor_on,
      ends_on,
      amount_cents,
      lines: renewalLines,
      state: 'paid' as Tables['period']['state'],
    },
  }
}
