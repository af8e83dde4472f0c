import { expect, it } from 'vitest'
import { compareBooks, playBack, type Told } from './playback.ts'

const [member_id, other] = ['member', 'other']
const charge = { reference: 'r1', amount: '99.00', kind: 'renewal' as const, period: 1 }
const refund = { ...charge, refund_id: 'f1', credit_note: 1 }
const days = { period: 1, starts_on: '2026-12-15', ends_on: '2027-01-15' }
const [active, past_due] = [{ state: 'active' as const }, { state: 'past_due' as const }]
const price = { price: '129.00', former_price: '99.00', packages: [], ...active }

/** Each of them alone, after the same beginning. */
const changes: Told[] = [
  { type: 'member.joined', member_id: other, payload: { sponsor_id: 's1', product_ids: [34], amount: '99.00' } },
  { type: 'member.erased', member_id, payload: {} },
  { type: 'sponsor.moved', member_id, payload: { sponsor_id: 's2', former_sponsor_id: 's1' } },
  { type: 'sponsor.renamed', member_id, payload: { sponsor_id: 's4', former_sponsor_id: 's3' } },
  { type: 'membership.price_changed', member_id, payload: price },
  { type: 'membership.canceled', member_id, payload: { ends_on: '2026-12-14', state: 'canceled' } },
  { type: 'membership.on_hold', member_id, payload: { why: 'staff', state: 'on_hold' } },
  { type: 'membership.ended', member_id, payload: { why: 'unpaid', state: 'ended' } },
  { type: 'renewal.paid', member_id, payload: { reference: 'r1', amount: '99.00', ...days, ...active } },
  { type: 'renewal.waived', member_id, payload: { ...days, ...active } },
  {
    type: 'renewal.failed',
    member_id,
    payload: { reference: 'r1', amount: '99.00', ...days, decline_class: 'card', next_try_on: null, ...past_due },
  },
  { type: 'payment.captured', member_id, payload: charge },
  { type: 'payment.refunded', member_id, payload: { ...refund, refunded: '99.00' } },
  { type: 'payment.voided', member_id, payload: refund },
  { type: 'dispute.opened', member_id, payload: charge },
]
const joined: Told = {
  type: 'member.joined',
  member_id,
  payload: { sponsor_id: 's1', product_ids: [34], amount: '99.00' },
}

it.each(changes.map((change) => [change.type, change] as const))('27.1 a lost %s is noticed', (_type, change) => {
  const told = playBack([joined, change])
  expect(compareBooks(told, told)).toEqual([])
  expect(compareBooks(playBack([joined]), told)).not.toEqual([])
})
