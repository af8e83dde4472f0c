import { expect, test } from 'vitest'
import type { StartData } from '#contract/start.ts'
import { pages } from './render.tsx'

const start: StartData = {
  sponsor: { site: 'ana', active: 'Yes', name: 'Ana <b>&</b> Sons' },
  packages: [
    {
      product_id: 34,
      name: 'Founding Membership',
      description: 'Everything in the office.',
      image_url: '/assets/packages/34.svg',
      price: '99.00',
      billing_interval: 'month',
      is_recurring: false,
      is_special: false,
      ships: false,
    },
  ],
  product_id: 34,
  grand_total: '99.00',
  renews_on: '2026-12-15',
  policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
  test_payments: true,
}
const { product_id: _, ...nothingChosen } = start
const { policy, renews_on, test_payments } = start
const text = (html: string) => html.replace(/<!-- -->/g, '')

const everyPage = {
  account: pages.enroll(start),
  packages: pages.enroll({ ...start, policy: { ...policy, start_step: 'PRODUCT_SELECTION' } }),
  'nothing chosen': pages.enroll(nothingChosen),
  bare: pages.enroll({ sponsor_site: 'ana', policy, renews_on, test_payments }),
  'not found': pages.notFound(),
  failed: pages.failed(),
  outbox: pages.outbox([
    {
      id: 'one',
      channel: 'mail',
      recipient: 'zoe@example.com',
      subject: '<i>',
      body: 'See https://a.example/x.',
      has_html: true,
      attachment: 'consent.json',
      created_at: renews_on,
    },
  ]),
  'test payments': pages.testPayments({
    transactions: [{ transaction_id: 'sb_1', reference: 'one', amount: '99.00', state: 'review' }],
    cards: [{ number: '4242424242424242', happens: 'Approved.' }],
  }),
  docs: pages.docs([{ method: 'GET', path: '/api/x', summary: 'X', input: undefined, output: { type: 'object' } }]),
  'office door': pages.officeDoor(),
  office: pages.office({ first_name: 'Zoë', sponsor_name: 'Ana', link: 'https://a.example/zoe', joined_on: renews_on }),
  'office closed': pages.officeClosed(),
}

test.each(Object.entries(everyPage))(
  '%s: no style and no handler of its own, for the page’s policy forbids them',
  (_, html) => {
    expect(html).toMatch(/^<div id="foyer">.*<h1/s)
    expect(html).not.toMatch(/\sstyle=|\son\w+=|<style|<script/)
  },
)

test('the first screen names sponsor, price and what renews, and says what it needs', () => {
  const html = text(everyPage.account)
  for (const said of [
    'Tell us about yourself',
    'Then monthly, from Dec 15',
    'Total today',
    '$99.00',
    'needs JavaScript',
  ])
    expect(html).toContain(said)
  expect(html).toContain('Ana &lt;b&gt;&amp;&lt;/b&gt; Sons')
})

test('when nothing could be preselected the packages come first', () => {
  expect(everyPage['nothing chosen']).toContain('Choose your membership')
})

test('a lost link is named, and whom one joins under', () => {
  const html = text(pages.enroll({ ...start, unknown_site: 'zebra' }))
  expect(html).toContain('We could not find the link “zebra”.')
})

test('an inactive sponsor is told in the words of the spec', () => {
  const html = text(pages.enroll({ ...start, sponsor: { site: 'oldmill', active: 'No', name: 'Old Mill' } }))
  expect(html).toContain('Please be informed that Old Mill&#x27;s website is currently inactive')
  expect(html).toContain('Click here and sign up on our main website.')
})
