import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { MemberPage } from '#contract/console/member-page.ts'
import { ConsoleContext } from '../api.ts'
import { ActionMenu } from './ActionMenu.tsx'

test('19.24 the refund button names the day of the payment in the operator’s time zone', () => {
  const payment = { at: '2026-11-18T03:30:00.000Z', amount: '99.00', refundable: '99.00' }
  const member = { payments: [payment], membership: {}, erased_on: '2026-11-19' } as unknown as MemberPage
  const context = { session: { time_zone: 'America/New_York' }, may: () => true } as unknown as ConsoleContext
  const html = renderToStaticMarkup(
    <ConsoleContext value={context}>
      <ActionMenu member={member} onAction={() => undefined} />
    </ConsoleContext>,
  )
  expect(html).toContain('Refund $99.00 from Nov 17, 2026')
})
