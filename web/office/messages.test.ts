import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import { cancelMembershipQuestion } from './messages.ts'

const textFor = (membership: object) =>
  cancelMembershipQuestion(
    { email: 'zoe@example.com', membership: { billing_interval: 'month', ...membership } as OfficeView['membership'] },
    async () => undefined,
  ).text
const parcel = { product_id: 41, name: 'Parcel', price: '24.00', can_stop: true }

test('17.41 canceling a membership that is paid, next to a package that isn’t, names the package as what can be stopped alone', () => {
  const text = textFor({ lines: [parcel] })
  expect(text).toContain(
    'Your membership is paid for. To stop only Parcel, keep your membership and press Stop next to it.',
  )
  expect(text).toContain('If you cancel, your membership ends now and your link closes.')
  expect(text).not.toContain('isn’t paid')
  expect(text).not.toContain('isn’t paid')
})

test('17.43 canceling a membership whose month isn’t paid says why it ends now', () => {
  const text = textFor({ lines: [{ ...parcel, can_stop: false }, parcel] })
  expect(text).toContain('Your membership ends now, because this month isn’t paid.')
})
