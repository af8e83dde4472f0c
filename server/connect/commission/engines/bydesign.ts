import type { PlacementSide } from '#contract/commission.ts'
import { toAmount } from '#contract/money.ts'
import { signedAmount } from '../shares.ts'
import type { Engine } from './engine.ts'

/** ByDesign. docs/guides/commission.md says which names were read in public clients, and which are guesses. */
export const bydesign: Engine = {
  member: ({ joined_at, sponsor_id, placement_parent_id, side }, idOf) => [
    {
      call: 'CreateRep',
      body: {
        SponsorRepDID: idOf(sponsor_id),
        UplineRepDID: idOf(placement_parent_id ?? sponsor_id),
        ...(positions[side] ? { BCPosition: positions[side] } : {}),
        RepTypeID: 1,
        JoinDate: joined_at.toISOString(),
      },
    },
  ],
  /** An order is entered, paid to zero and posted. */
  order: (lines, idOf) => {
    const [{ at, kind, order_id, member_id }] = lines
    const sign = kind === 'sale' || kind === 'dispute_won' ? 1 : -1
    const OrderDate = at.toISOString()
    const total = lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    const OrderID = `<OrderID of ${order_id}>`
    return [
      {
        call: 'CreateOrder',
        body: {
          RepDID: idOf(member_id),
          OrderDate,
          Details: lines.map((line) => ({
            ProductID: String(line.product_id),
            Quantity: sign,
            Price: toAmount(line.amount_cents * sign),
            Volume: toAmount(line.business_volume * sign),
            BonusVolume: toAmount(line.commissionable_volume * sign),
          })),
        },
      },
      { call: 'AddPayment', body: { OrderID, Amount: signedAmount(total) } },
      { call: 'PostOrder', body: { OrderID, BonusDate: OrderDate } },
    ]
  },
}

const positions: Record<PlacementSide, string> = { automatic: '', left: 'Left', right: 'Right', hold: '' }
