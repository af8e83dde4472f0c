import { expect, test } from 'vitest'
import { production, settingErrors } from '#server/test/settings.ts'
import { readConfig } from './config.ts'
import { missingOperatorDetails } from './operator.ts'

test('8.10 samples stand in for the operator outside production', () => {
  const { operator } = readConfig({ REFUND_TEXT: 'No refunds.' })
  expect(operator).toEqual({
    name: 'Foyer Membership LLC',
    address: expect.stringContaining('Sample'),
    support: { href: 'mailto:hello@foyer.example', text: 'hello@foyer.example' },
    refunds: 'No refunds.',
  })
})

test('8.10 nothing is made up in production, and the start names what is missing', () => {
  const config = readConfig(production)
  const support = { href: 'mailto:hello@join.example', text: 'hello@join.example' }
  expect(config.operator).toEqual({ name: 'Foyer', support })
  expect(missingOperatorDetails(config)).toEqual([
    'not set, and missing at the foot of every page: OPERATOR_ADDRESS, REFUND_TEXT',
  ])
  const { MAIL: _, MAIL_FROM: __, ...withoutMail } = production
  expect(readConfig({ ...withoutMail, ALLOW_EMBEDDED: 'payment, phone, mail' }).operator).toEqual({ name: 'Foyer' })
})

test('8.10 the operator’s own details are shown as they are set', () => {
  const config = readConfig({
    ...production,
    OPERATOR_NAME: 'Join & Co.',
    OPERATOR_ADDRESS: '1 Main St, Reno, NV 89501',
    SUPPORT_CONTACT: 'https://join.example/help/?from=join',
    REFUND_TEXT: 'Within 30 days.',
  })
  expect(config.operator).toEqual({
    name: 'Join & Co.',
    address: '1 Main St, Reno, NV 89501',
    support: { href: 'https://join.example/help/?from=join', text: 'join.example/help/?from=join' },
    refunds: 'Within 30 days.',
  })
  expect(missingOperatorDetails(config)).toEqual([])
})

test.each([
  [
    { SUPPORT_CONTACT: 'http://join.example' },
    'SUPPORT_CONTACT must be an email address, or a URL that starts with https',
  ],
  [{ SUPPORT_CONTACT: 'call us' }, 'SUPPORT_CONTACT must be an email address, or a URL that starts with https'],
  [{ OPERATOR_ADDRESS: '1 Main St\nReno' }, 'OPERATOR_ADDRESS must be one line of at most 200 characters'],
  [{ OPERATOR_NAME: 'x'.repeat(101) }, 'OPERATOR_NAME must be one line of at most 100 characters'],
  [{ SUPPORT_URL: 'https://join.example' }, 'SUPPORT_URL is not a setting'],
])('8.1 8.10 %o stops the start', (env, message) => {
  expect(settingErrors(env)[0]).toContain(message)
})
