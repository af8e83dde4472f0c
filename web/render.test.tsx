import { expect, test } from 'vitest'
import type { OfficeView } from '#contract/office/view.ts'
import type { CreditNote } from '#contract/receipts.ts'
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
      renewal_price: '99.00',
      billing_interval: 'month',
      is_recurring: false,
      is_special: false,
      ships: false,
    },
  ],
  product_id: 34,
  grand_total: '99.00',
  today: '2026-11-15',
  time_zone: 'UTC',
  renews_on: { month: '2026-12-15', year: '2027-11-15' },
  policy: { start_step: 'ACCOUNT', autoship: false, special: false, phone_verification: false },
  site_hosts: ['a.example'],
  test_payments: true,
}
const { product_id: _, ...withoutPackage } = start
const { policy, today, time_zone, renews_on, site_hosts, test_payments } = start

const week = { visits: 0, joins: 0 }
const view: OfficeView = {
  first_name: 'Zoë',
  last_name: '<b>',
  business_name: '',
  join_emails: true,
  renewal_emails: false,
  username: 'zoe',
  email: 'zoe@mail.example',
  unconfirmed_email: 'new@mail.example',
  is_email_confirmed: false,
  email_notice: 'unconfirmed',
  mobile_phone: '+12025550123',
  link: 'https://a.example/zoe',
  joined_on: '2026-11-15',
  sponsor_name: 'Ana & Sons',
  proof_seconds: 0,
  status: { label: 'Active', tone: 'good', sentence: 'We charge $99.00 on December 15, 2026.' },
  membership: {
    state: 'active',
    price: '99.00',
    billing_interval: 'month',
    lines: [{ product_id: 34, name: 'Founding Membership', price: '99.00', can_stop: false }],
    renews_on: '2026-12-15',
    is_over: false,
    is_on_hold: false,
    is_charged_here: true,
  },
  renewals: [],
  receipt: {
    reference: 'r7',
    paid_on: '2026-11-15',
    lines: [{ name: 'Founding Membership', price: '99.00', is_recurring: false, billing_interval: 'month' }],
    total: '99.00',
    credit_notes: [],
    is_collected: true,
  },
  operator: { name: 'Foyer LLC', address: '1 Main Street' },
  accepted: [{ title: 'Terms', version: 2, sha256: 'a'.repeat(64), accepted_on: '2026-11-15' }],
  weeks: [
    { ...week, from: '2026-11-02', visits: 3 },
    { from: '2026-11-09', visits: 5, joins: 1 },
  ],
  totals: { visits: 8, joins: 1 },
  brought: [{ name: 'Ada Lovelace', joined_on: '2026-11-10' }],
}
const note: CreditNote = {
  number: 7,
  issued_on: '2026-11-20',
  is_void: false,
  lines: [{ name: 'Founding Membership', price: '40.00' }],
  amount: '40.00',
  receipt: { reference: 'r7', paid_on: '2026-11-15', total: '99.00' },
  member: { first_name: 'Zoë', last_name: 'Example', business_name: '' },
  operator: view.operator,
}
const newMember: OfficeView = {
  ...view,
  weeks: [{ ...week, from: '2026-11-09' }],
  totals: { visits: 0, joins: 0 },
  brought: [],
  membership: { ...view.membership, cancelled_on: '2026-11-16' },
}
const withoutComments = (html: string) => html.replace(/<!-- -->/g, '')

const everyPage = {
  account: pages.enroll(start),
  packages: pages.enroll({ ...start, policy: { ...policy, start_step: 'PRODUCT_SELECTION' } }),
  'without a package': pages.enroll(withoutPackage),
  fallback: pages.enroll({ sponsor_site: 'ana', policy, today, time_zone, renews_on, site_hosts, test_payments }),
  'not found': pages.notFound(),
  failed: pages.failed(),
  'one moment': pages.oneMoment(),
  outbox: pages.outbox(
    [
      {
        id: 'one',
        channel: 'mail',
        recipient: 'zoe@example.com',
        subject: '<i>',
        body: 'See https://a.example/x.',
        has_html: true,
        attachment: 'consent.json',
        created_at: renews_on.month,
        sent_at: 'Nov 15, 2026, 12:00:00 UTC',
      },
    ],
    ['outbox', 'payments', 'clock'],
  ),
  'test payments': pages.testPayments(
    {
      transactions: [{ transaction_id: 'sb_1', reference: 'one', amount: '99.00', state: 'review' }],
      cards: [{ number: '4242424242424242', description: 'Approved.' }],
    },
    ['outbox', 'payments'],
  ),
  'test clock': pages.clock(
    {
      now: '2026-12-15T10:00:00Z',
      time_zone: 'UTC',
      today: '2026-12-15',
      days_ahead: 30,
      turned_from: '2026-11-15',
      next_renewal: '2027-01-15',
      memberships: [{ username: 'mara', state: 'active', amount: '99.00', interval: 'month', next_day: '2027-01-15' }],
      events: [
        {
          day: '2026-12-15',
          kind: 'charged',
          username: 'mara',
          amount: '99.00',
          card: 'Visa 4242',
          emails: ['one'],
          is_new: true,
        },
      ],
    },
    ['clock', 'outbox', 'payments'],
  ),
  docs: pages.docs({
    base_url: 'https://a.example',
    calls: [
      {
        name: 'x',
        group: 'X',
        method: 'GET',
        path: '/api/x/x',
        summary: 'X',
        input: {},
        messages: {},
        output: { type: 'object' },
      },
    ],
    error: {},
  }),
  office: pages.office({ screen: 'office', view }),
  'credit note': pages.office({ screen: 'credit-note', note }),
  'office of a new member': pages.office({ screen: 'office', view: newMember }),
  'sign-in': pages.office({ screen: 'sign-in' }),
  'grant landing': pages.office({ screen: 'grant-landing' }),
  'forgotten password': pages.office({ screen: 'forgotten-password' }),
  'new password': pages.office({ screen: 'new-password' }),
  unsubscribe: pages.office({ screen: 'unsubscribe', state: 'ask' }),
  'new address': pages.office({ screen: 'confirm-email' }),
}

test.each(Object.entries(everyPage))(
  '%s has no inline styles or handlers, which the content security policy forbids',
  (_, html) => {
    expect(html).toMatch(/^<div id="foyer">.*<h1/s)
    expect(html).not.toMatch(/\sstyle=|\son\w+=|<style|<script/)
  },
)

test('the first screen shows the sponsor, the price and the renewal, and says that it needs JavaScript', () => {
  const html = withoutComments(everyPage.account)
  for (const text of [
    'Tell us about yourself',
    'Then monthly, from Dec 15',
    'Total today',
    '$99.00',
    'needs JavaScript',
  ])
    expect(html).toContain(text)
  expect(html).toContain('Ana &lt;b&gt;&amp;&lt;/b&gt; Sons')
})

test('without a preselected package the packages come first', () => {
  expect(everyPage['without a package']).toContain('Choose your membership')
})

test('an unknown link is named', () => {
  const html = withoutComments(pages.enroll({ ...start, unknown_site: 'zebra' }))
  expect(html).toContain('We couldn’t find the link “zebra”.')
})

test('16.3 16.5 the notice about the first sponsor isolates the names and leads to that sponsor', () => {
  const earlier_sponsor = { site: 'bluepier', name: 'Blue Pier' }
  const html = withoutComments(pages.enroll({ ...start, earlier_sponsor }))
  expect(html).toContain('You opened <bdi>Blue Pier</bdi>’s link first.')
  expect(html).toContain('now joining with <bdi>Ana &lt;b&gt;&amp;&lt;/b&gt; Sons</bdi>.')
  expect(html).toContain('href="/bluepier">Join with <bdi>Blue Pier</bdi> instead')
  expect(everyPage.office).toContain('You joined with <bdi>Ana &amp; Sons</bdi> on')
})

test('1.3 16.3 an unknown link is named to a visitor with an earlier sponsor, too, and the brand leads to this page', () => {
  const earlier_sponsor = { site: 'bluepier', name: 'Blue Pier' }
  const html = withoutComments(pages.enroll({ ...start, unknown_site: 'zebra', earlier_sponsor }))
  expect(html).toContain('We couldn’t find the link “zebra”.')
  expect(html).toContain('Join with <bdi>Blue Pier</bdi> instead')
  expect(html).toContain(`class="brand" href="/${start.sponsor.site}"`)
})

test('1.5 1.6 on an inactive sponsor’s page another person enrolls on the main website', () => {
  const sponsor = { site: 'oldmill', active: 'No' as const, name: 'Old Mill' }
  const html = withoutComments(pages.enroll({ ...start, sponsor, joined_as: 'mara' }))
  expect(html).toContain('action="/master/another"')
  expect(html).toContain('Old Mill&#x27;s website is currently inactive')
})

test('1.6 someone who has joined sees two ways on, and no form to fill in', () => {
  const html = withoutComments(pages.enroll({ ...start, joined_as: 'mara' }))
  expect(html).toContain('<h1>You joined as mara</h1>')
  expect(html).toContain(`href="/${start.sponsor.site}/office"`)
  expect(html).toContain(`action="/${start.sponsor.site}/another"`)
  expect(html).not.toContain('<input')
})

test('26.23 a member of the host’s is sent where its operator says, and otherwise nowhere', () => {
  const pageWith = (policy: Partial<StartData['policy']>) =>
    withoutComments(
      pages.enroll({ ...start, policy: { ...start.policy, provider: true, ...policy }, joined_as: 'mara' }),
    )
  expect(pageWith({ office_url: 'https://office.example' })).toContain('href="https://office.example">Open my office')
  expect(pageWith({})).not.toContain('Open my office')
  expect(pageWith({})).toContain('Foyer can tell you where to sign in to your virtual office.')
})

test('25.5 12.6 ACCOUNT asks for names, company and phone, and hides its traps', () => {
  const html = withoutComments(pages.enroll(start))
  for (const name of ['first_name', 'last_name', 'mobile_phone']) expect(html).toContain(` name="${name}"`)
  expect(html).toContain('Company name<span class="optional"> (optional)</span>')
  expect(html).toMatch(/<option value="US" selected="">United States \(\+1\)/)
  const traps = html.match(/<div class="trap" aria-hidden="true">.*?<input[^>]*>/g)?.join() ?? ''
  expect(traps.match(/name="hall_\w+"|tabindex="-1"|data-1p-ignore/gi)).toHaveLength(6)
})

test('1.5 an inactive sponsor’s page has the spec’s words, and no form', () => {
  const html = withoutComments(pages.enroll({ ...start, sponsor: { site: 'oldmill', active: 'No', name: 'Old Mill' } }))
  expect(html).toContain('Please be informed that Old Mill&#x27;s website is currently inactive')
  expect(html).toContain(' href="/master">Click here and sign up on our main website.</a>')
  expect(html).not.toContain('<input')
})

test('15.3 the office shows price, renewal, receipt, sponsor, documents, link, weeks and referrals', () => {
  const html = withoutComments(everyPage.office)
  for (const text of [
    'Welcome, Zoë',
    'a.example/<wbr/><strong>zoe</strong>',
    '$99.00 a month',
    'December 15, 2026',
    'We charge $99.00 on December 15, 2026',
    'Ana &amp; Sons',
    '<code>r7</code>',
    'Accepted on Nov 15, 2026',
    `Version 2, SHA-256 <code>${'a'.repeat(64)}</code>`,
    'Ada Lovelace',
    'We sent a link to <strong>new@<wbr/>mail<wbr/>.example</strong>',
    '<th scope="row">November 9, 2026</th><td>5</td><td>1</td>',
  ])
    expect(html).toContain(text)
  expect(html).not.toContain('<b>')
})

test('15.3 a member whose link was never opened is told to share it', () => {
  const html = withoutComments(everyPage['office of a new member'])
  expect(html).toContain('No one has opened your link yet.')
  expect(html).not.toContain('class="chart"')
})

test('15.9 a canceled membership says when it ends and can be resumed, and one that has ended cannot', () => {
  const html = withoutComments(everyPage['office of a new member'])
  for (const text of ['Canceled on', 'November 16, 2026', 'Ends on', 'Resume membership']) expect(html).toContain(text)
  expect(html).not.toContain('Cancel membership')
  const ending = { is_over: true, ended_on: '2026-12-14', return_price: '99.00' }
  const sentence = 'Your membership ended on December 14, 2026, and your link is closed.'
  const action = { label: 'Come back', href: '#come-back' as const }
  const status = { label: 'Ended', tone: 'warm' as const, sentence, action }
  const over = { ...newMember, status, membership: { ...newMember.membership, ...ending } }
  const ended = withoutComments(pages.office({ screen: 'office', view: over }))
  expect(ended).toContain(sentence)
  expect(ended).toContain('href="#come-back">Come back</a>')
  expect(ended).not.toMatch(/Resume membership|link\.svg|Copy|Share|December 15/)
  expect(ended.indexOf('Come back for $99.00 a month'), 'above the closed link').toBeLessThan(
    ended.indexOf('Your link<'),
  )
})

test('17.26 the test clock tells what happened in plain sentences', () => {
  const text = withoutComments(everyPage['test clock'])
  expect(text).toContain('December 15, 2026')
  expect(text).toMatch(/charged \$99\.00 to mara \(Visa 4242\), <a href="\/__outbox\/one">receipt sent<\/a>/)
  expect(text).toContain('1 charge, 0 declines, 1 email.')
  expect(text).toContain('renews on January 15, 2027')
})

test('17.49 15.6 buttons that charge name the amount, and the password is asked for up front', () => {
  const office = (change: Partial<OfficeView['membership']>, proof_seconds: number) =>
    withoutComments(
      pages.office({
        screen: 'office',
        view: { ...view, proof_seconds, membership: { ...view.membership, ...change } },
      }),
    )
  const over = { is_over: true, ended_on: '2026-12-15', return_price: '99.00' }
  expect(office(over, 0)).toContain('name="current_password"')
  expect(office(over, 600)).not.toContain('name="current_password"')
  const resume = { cancelled_on: '2026-11-16', resume_charge: '99.00' }
  expect(office(resume, 0)).toContain('Resume and pay $99.00')
})
