import type * as z from 'zod/mini'
import type { ApiCalls } from './api.ts'

/** One example of each call, for the OpenAPI document. A test compares them with the rules. */

type PartOf<Call, Name extends string> = Call extends { [Key in Name]: infer Part extends z.ZodMiniType }
  ? { [Key in Name]: z.input<Part> }
  : object
type Example<Call extends { output: z.ZodMiniType }> = PartOf<Call, 'params'> &
  Partial<PartOf<Call, 'query'>> &
  PartOf<Call, 'body'> & { output: z.input<Call['output']> }

const mara = '5f0c6c1e-2a4b-4f63-9b9c-0d9b6a2f7e11'
const ana = 'b1a7d9f2-63c8-4f0e-8a5d-7c2e4b9f1a30'
const anaLink = '8d2f4c6a-1b3e-4d5f-9a7c-6e8b0d2f4a61'
const refund_id = 'c3e5a7b9-4d6f-4a1c-8e2b-9f0d1c3b5a72'
const reference = '3k9x0q2m7c5v8b1n4z6w'
const next = 'WyIyMDI2LTExLTE1VDEyOjAwOjAwLjAwMDAwMFoiXQ.m0Yw4J7c'
const joined_at = '2026-10-01T15:04:05.000Z'

const member: z.input<ApiCalls['getMember']['output']> = {
  id: mara,
  username: 'mara',
  state: 'active',
  joined_at,
  sponsor: { id: anaLink, site: 'ana', member_id: ana },
  person: {
    first_name: 'Mara',
    last_name: 'Lind',
    business_name: '',
    email: 'mara@example.com',
    is_email_confirmed: true,
    mobile_phone: '+12025550123',
    address: '1600 Main St',
    address2: '',
    city: 'Reno',
    address_state: 'NV',
    post_code: '89501',
    country: 'US',
  },
  packages: [{ product_id: 34, name: 'Membership', price: '99.00' }],
  price: '99.00',
  billing_interval: 'month',
  next_charge_on: '2026-12-01',
  card: { brand: 'Visa', last_four: '4242', expires: '2030-07' },
  external_ids: [{ connection: 'exigo', value: '1234' }],
}

const payment: z.input<ApiCalls['listPayments']['output']>['payments'][number] = {
  reference,
  member_id: mara,
  kind: 'renewal',
  period: 1,
  state: 'captured',
  amount: '99.00',
  refunded: '25.00',
  currency: 'USD',
  created_at: '2026-11-01T09:00:00.000Z',
  captured_at: '2026-11-01T09:00:02.000Z',
  card: { brand: 'Visa', last_four: '4242' },
}

const params = { member_id: mara }
const membership = { member_id: mara, state: 'active', next_charge_on: '2026-12-01' } as const
const body = { reason: 'Asked for it by phone' }

export const apiExamples: { [Name in keyof ApiCalls]: Example<ApiCalls[Name]> } = {
  listMembers: { query: { state: 'active', limit: 50 }, output: { members: [member], next } },
  getMember: { params, output: member },
  getLine: {
    params,
    query: { direction: 'up', depth: 5, on: '2026-10-31' },
    output: {
      member_id: mara,
      direction: 'up',
      as_of: '2026-11-01T04:00:00.000Z',
      line: [{ member_id: ana, username: 'ana', depth: 1, joined_at: '2025-03-02T11:20:00.000Z', is_erased: false }],
      top: { site: 'master' },
    },
  },
  listPayments: { query: { created_from: '2026-11-01', created_to: '2026-11-30' }, output: { payments: [payment] } },
  getPayment: {
    params: { reference },
    output: {
      ...payment,
      refunds: [
        {
          id: refund_id,
          amount: '25.00',
          is_void: false,
          state: 'done',
          requested_at: '2026-11-03T10:00:00.000Z',
          ended_at: '2026-11-03T10:00:01.000Z',
        },
      ],
    },
  },
  listSponsors: {
    query: { site: 'ana' },
    output: {
      sponsors: [
        {
          id: anaLink,
          site: 'ana',
          name: 'Ana',
          is_active: true,
          member_id: ana,
          created_at: '2025-03-02T11:20:00.000Z',
        },
      ],
    },
  },
  listPackages: {
    output: {
      packages: [
        {
          product_id: 34,
          name: 'Membership',
          description: 'Everything you need to begin.',
          price: '99.00',
          renewal_price: '99.00',
          billing_interval: 'month',
          is_recurring: true,
          is_special: false,
          ships: false,
          is_offered: true,
          product_category_id: 17,
          language_id: 1,
          image_url: '/catalog/34.svg',
        },
      ],
    },
  },
  listEvents: {
    query: { after: 'MGYx', wait: 20 },
    output: {
      events: [
        {
          id: 'e7c9b1a3-5d7f-4c2e-9b4a-1d3f5b7c9e83',
          type: 'payment.captured',
          version: 1,
          at: '2026-11-01T09:00:02.000Z',
          member_id: mara,
          payload: { reference, amount: '99.00', kind: 'renewal', period: 1 },
        },
      ],
      cursor: 'MGYy',
      has_more: false,
    },
  },
  cancelMembership: {
    params,
    body,
    output: {
      member_id: mara,
      state: 'canceled',
      canceled_at: '2026-11-10T16:00:00.000Z',
      ends_at: '2026-12-01T05:00:00.000Z',
    },
  },
  undoCancellation: { params, body, output: membership },
  holdMembership: {
    params,
    body,
    output: { member_id: mara, state: 'on_hold', on_hold_since: '2026-11-10T16:00:00.000Z' },
  },
  releaseMembership: { params, body, output: membership },
  changeDetails: {
    params,
    body: { city: 'Sparks', email: 'mara.lind@example.com' },
    output: { member_id: mara, changed: ['city', 'email'], is_email_unconfirmed: true },
  },
  refundPayment: {
    params: { reference },
    body: { amount: '25.00', reason: 'Charged for a day without service' },
    output: { refund_id, payment_reference: reference, amount: '25.00', state: 'requested' },
  },
}
