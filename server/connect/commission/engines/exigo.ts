import type { PlacementSide } from '#contract/commission.ts'
import { toAmount } from '#contract/money.ts'
import type { Engine } from './engine.ts'

/** Exigo. docs/guides/commission.md says which names were read in its public clients, and which are guesses. */
export const exigo: Engine = {
  member: ({ joined_at, sponsor_id, placement_parent_id, side }, idOf) => [
    {
      call: 'CreateCustomer',
      body: {
        CustomerType: 1,
        EntryDate: joined_at.toISOString(),
        LanguageID: 0,
        EnrollerID: idOf(sponsor_id),
        SponsorID: idOf(placement_parent_id ?? sponsor_id),
        BinaryPlacementPreference: preferences[side],
        UseBinaryHoldingTank: side === 'hold',
      },
    },
  ],
  order: (lines, idOf) => {
    const [{ at, kind, order_id, member_id }] = lines
    const sign = kind === 'sale' || kind === 'dispute_won' ? 1 : -1
    return [
      {
        call: 'CreateOrder',
        body: {
          CustomerID: idOf(member_id),
          OrderDate: at.toISOString(),
          CurrencyCode: 'usd',
          Other1: order_id,
          Details: lines.map((line) => ({
            ItemCode: String(line.product_id),
            Quantity: sign,
            PriceEachOverride: toAmount(line.amount_cents * sign),
            BusinessVolumeEachOverride: toAmount(line.business_volume * sign),
            CommissionableVolumeEachOverride: toAmount(line.commissionable_volume * sign),
          })),
        },
      },
    ]
  },
}

const preferences: Record<PlacementSide, number> = { automatic: 0, left: 1, right: 2, hold: 0 }
