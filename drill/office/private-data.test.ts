import { expect, it } from 'vitest'
import { decodeAll, privateDetailsOf } from './private-data.ts'

const person = {
  name: 'quince3x',
  password: 'Open-Sesame-7',
  last_name: 'Lastname3',
  email: 'post.3.medlar@mail.example',
  mobile_phone: '+13032411039',
  address: '3 Rowan3tree Lane',
  city: 'Sorb3ville',
  post_code: '89003-4003',
  cc_number: '4539000000071115',
}
const payment = {
  enrollment_id: '5f0c1d9e-0000-4000-8000-000000000003',
  reference: 'AbCdEfGh1234IjKlMn56',
  transaction_id: 'sb_7d1',
  vault_reference: 'vault_9',
}
const detailsIn = (answer: string) => {
  const text = decodeAll(answer)
  return privateDetailsOf(person, payment).flatMap(({ what, isIn }) => (isIn(text) ? [what] : []))
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

it.each([
  ['{"email":"Post.3.Medlar@mail.example"}', 'email'],
  ['/office?to=post%2E3%2Emedlar%40mail.example', 'email'],
  ['post&#46;3&#x2e;medlar', 'email'],
  ['post\\u002e3\\u002emedlar', 'email'],
  [`cookie=${base64('{"x":"post.3.medlar@mail.example"}')}`, 'email'],
  [`/${base64('{"x":"post.3.medlar@mail.example"}')}`, 'email'],
  ['+13032411039', 'phone'],
  ['(303) 241-1039', 'phone'],
  ['tel:1-303-241-1039', 'phone'],
  ['<p>3 Rowan3tree Lane</p>', 'street'],
  ['Sorb3ville', 'city'],
  ['890034003', 'ZIP'],
  ['89003-4003', 'ZIP'],
  ['abcdefgh1234ijklmn56', 'reference'],
  ['sb_7d1', 'transaction_id'],
  ['vault_9', 'vault_reference'],
  ['5F0C1D9E-0000-4000-8000-000000000003', 'enrollment_id'],
  ['Visa ending in 1115', 'card'],
  ['•••• 1115', 'card'],
  ['1115 (Visa)', 'card'],
  ['4539000000071115', 'card'],
])('%s reveals the %s', (answer, what) => expect(detailsIn(answer)).toEqual([what]))

it.each([
  'Zoë Lastname3 joined on 2026-11-15',
  '/quince3x',
  'Visa ending in 11150',
  'in 1115 there was no card',
  'post.33.medlar@mail.example',
  '13032411039777',
])('%s reveals nothing', (answer) => expect(detailsIn(answer)).toEqual([]))
