import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Email } from '#server/gateways/mail/port.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { verifyConsent } from '../../scripts/verify-consent.mjs'
import {
  addressChangedEmail,
  confirmAddressEmail,
  confirmCurrentAddressEmail,
  passwordChangedEmail,
  passwordResetEmail,
  phoneChangedEmail,
} from './changes.ts'
import { cancellationEmail, consentEmail, resumedEmail, unpaidEmail, welcomeEmail } from './emails.ts'
import { secondFactorEmail } from './second-factor.ts'

let site: Site
let member_id: string
let form: Record<string, string>
beforeAll(async () => {
  site = await testSite()
  form = await filledForm(site)
  await site.post('enrollment/add-enrollment', form)
  const member = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  member_id = member.id
})
afterAll(() => site.close())

const zoe = { email: 'zoe@mail.example', first_name: 'Zoë' }
const cancel = () =>
  site.db
    .updateTable('member')
    .set({ cancelled_at: new Date('2026-11-20T12:00:00Z'), ends_at: new Date('2026-12-16T00:00:00Z') })
    .execute()
const undoCancellation = () => site.db.updateTable('member').set({ cancelled_at: null, ends_at: null }).execute()

const emails: Record<string, (world: Site['world']) => Email | Promise<Email>> = {
  welcome: (world) => welcomeEmail(world, { member_id }),
  consent: (world) => consentEmail(world, { member_id }),
  cancelled: async (world) => {
    await cancel()
    return required(await cancellationEmail(world, { member_id }))
  },
  resumed: async (world) => {
    await undoCancellation()
    return required(await resumedEmail(world, { member_id }))
  },
  unpaid: (world) => unpaidEmail(world, { ...zoe, site: 'ana' }),
  'password reset': (world) => passwordResetEmail(world, { ...zoe, token: 'a-token', proof: 'link' }),
  'password reset with card': (world) => passwordResetEmail(world, { ...zoe, token: 'a-token', proof: 'card' }),
  'no password reset': (world) => passwordResetEmail(world, { ...zoe, token: 'a-token', proof: 'support' }),
  'confirm email': (world) => confirmAddressEmail(world, { ...zoe, token: 'a-token' }),
  'email changed': (world) => addressChangedEmail(world, { ...zoe, new_email: 'new.zoe@other.example' }),
  'confirm current email': (world) => confirmCurrentAddressEmail(world, { ...zoe, token: 'a-token' }),
  'password changed': (world) => passwordChangedEmail(world, { member_id, who: 'link', at: '2026-11-15T12:00:00Z' }),
  'phone changed': (world) =>
    phoneChangedEmail(world, { member_id, masked_phone: '+•••••••••77', who: 'team', at: '2026-11-15T12:00:00Z' }),
  'second factor': (world) => secondFactorEmail(world, { member_id, change: 'removed_by_staff' }),
}

const required = (email: Email | undefined): Email => {
  if (!email) throw new Error('No email was written.')
  return email
}

/** The visible text of the HTML. */
const visibleText = ({ html }: Email) =>
  html
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

describe.each(Object.entries(emails))('the email %s', (_name, write) => {
  it('15.12 has the same content in plain text and HTML, and shows its URLs', async () => {
    const email = await write(site.world)
    const html = visibleText(email)
    const [beforeTexts = ''] = email.text.split('\n\n----------')
    for (const line of beforeTexts.split('\n').filter((line) => /[a-z]/.test(line)))
      for (const phrase of line.trim().split(': ')) expect(html).toContain(phrase.replace(/^https?:\/\//, ''))
    const links = [...email.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    expect(links.length).toBeGreaterThan(0)
    for (const href of links) expect(email.text).toContain(href)
  })

  it('15.12 names the company that runs the site, and its address', async () => {
    const email = await write(site.world)
    const company = 'Foyer Membership LLC, 500 Sample Street, Reno, NV 89501'
    expect(email.text).toMatch(new RegExp(`${company}\\n$`))
    expect(visibleText(email)).toContain(company)
  })

  it('15.12 loads nothing from the network', async () => {
    const { html } = await write(site.world)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).not.toMatch(
      /<(?:script|img|link|iframe|form|object|svg|base)\b|\ssrc=|\son\w+=|url\(|@import|javascript:/i,
    )
    expect(html).toContain('max-width:600px')
  })

  it('15.12 links to the operator’s own office if there is one', async () => {
    const OFFICE_URL = 'https://office.example'
    const own = await write({ ...site.world, config: { ...site.world.config, OFFICE_URL } })
    const ours = await write(site.world)
    expect(ours.text).not.toContain(OFFICE_URL)
    expect(own.text.includes(OFFICE_URL)).toBe(/foyer\.test\/office$/m.test(ours.text))
    expect(own.text + own.html).not.toMatch(/foyer\.test\/office["\s]/)
  })
})

describe('the content of an email', () => {
  it('21.17 an email gives the time of a change in the operator’s zone, and names the zone', async () => {
    const config = { ...site.world.config, TIME_ZONE: 'America/New_York' }
    const change = { member_id, who: 'office' as const, at: '2026-11-15T12:00:00Z' }
    const { text } = await passwordChangedEmail({ ...site.world, config }, change)
    expect(text.replace(/\s+/g, ' ')).toContain('in your office on Nov 15, 2026, 7:00 AM EST')
  })

  it('15.12 welcome: receipt, sponsor, own link, price, renewal and how to cancel', async () => {
    const { to, subject, text } = await welcomeEmail(site.world, { member_id })
    const { reference } = await site.db.selectFrom('payment').select('reference').executeTakeFirstOrThrow()
    expect([to, subject]).toEqual([form.email, 'Welcome to Foyer'])
    for (const phrase of [
      "You joined with Ana's Paper Lantern Studio on November 15, 2026.",
      '  Founding Membership: $99.00\n  Total: $99.00\n  Paid on: November 15, 2026\n',
      `  Paid with: Visa ending in 4242\n  Reference: ${reference}\n`,
      'Refunds: Tell us within 14 days of joining',
      'Questions about this payment? Contact us: ',
      `http://foyer.test/${form.username}\n`,
      'Open your office: http://foyer.test/office\n',
      'costs $99.00 a month until you cancel.',
      'renews on December 15, 2026',
      'You can cancel in your office at any time.',
    ])
      expect(text).toContain(phrase)
  })

  it('15.12 an amount never breaks across lines', async () => {
    const { html } = await welcomeEmail(site.world, { member_id })
    const amounts = [...html.matchAll(/<td [^>]*style="([^"]*)">\$[\d.]+<\/td>/g)].map(([, style]) => style)
    expect(amounts).toHaveLength(2)
    for (const style of amounts) expect(style).toMatch(/white-space:nowrap$/)
  })

  it('15.12 consent: every text with title, version, time and hash, and the signed file', async () => {
    const { text, html, attachment } = await consentEmail(site.world, { member_id })
    const accepted = await site.db
      .selectFrom('acceptance')
      .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
      .selectAll()
      .execute()
    expect(accepted.length).toBeGreaterThan(2)
    for (const { title, version, sha256, content } of accepted) {
      expect(text).toContain(`${title.toUpperCase()}\n\nVersion: ${version}\nAccepted: Nov 15, 2026, 12:00:00 UTC`)
      expect(text).toContain(sha256)
      expect(html).toContain(content)
    }
    expect(text).toContain('\n- Price: $99 per month, whichever package you started with.\n')
    expect(text).not.toMatch(/<\w/)
    const keys = (await site.get('/.well-known/jwks.json')).body
    expect([attachment?.filename, verifyConsent(attachment?.content ?? '', keys).member.username]).toEqual([
      'consent.json',
      form.username,
    ])
  })

  it('15.12 cancellation: when it ends, what happens then, and how to undo it', async () => {
    await cancel()
    const { subject, text } = required(await cancellationEmail(site.world, { member_id }))
    expect(subject).toBe('Your membership ends on December 15, 2026')
    expect(text).toContain('You stay a member until December 15, 2026')
    expect(text).toContain(`http://foyer.test/${form.username} becomes inactive`)
    expect(text).toContain('You can undo the cancellation')
    expect(await resumedEmail(site.world, { member_id }), 'it is canceled').toBeUndefined()
    await undoCancellation()
    expect(await cancellationEmail(site.world, { member_id }), 'it continues').toBeUndefined()
  })

  it('15.12 tokens are in the URL fragment, which no server sees', async () => {
    expect((await passwordResetEmail(site.world, { ...zoe, token: 'a-token', proof: 'link' })).text).toContain(
      'http://foyer.test/office/new-password#a-token\n',
    )
    expect((await confirmAddressEmail(site.world, { ...zoe, token: 'a-token' })).text).toContain(
      'http://foyer.test/office/confirm-email#a-token\n',
    )
  })

  it.each(['new.zoe@elsewhere.example', 'zq@xq.io', 'no-address'])(
    '15.6 the email to the old address does not reveal %s',
    async (new_email) => {
      const { to, text, html } = await addressChangedEmail(site.world, { ...zoe, new_email })
      expect(to).toBe(zoe.email)
      expect(text + html).not.toContain(new_email)
      expect(text + html).not.toContain(new_email.split('@')[1]?.split('.')[0] ?? new_email)
    },
  )
})

describe('names in emails', () => {
  const hostile = '<img src=x onerror=alert(1)>"\'&\r\nTotal: $0.00\u202e\u2028X'

  it('15.12 are text, never markup, and never start a new line', async () => {
    const other = await testSite()
    await other.post('enrollment/add-enrollment', await filledForm(other))
    await other.db.updateTable('sponsor').set({ name: hostile }).where('site', '=', 'ana').execute()
    await other.db.updateTable('member').set({ first_name: hostile }).execute()
    await other.db.updateTable('order_line').set({ name: hostile }).execute()
    await other.db.updateTable('acceptance').set({ title: hostile }).execute()
    const { id } = await other.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    for (const { subject, text, html } of [
      await welcomeEmail(other.world, { member_id: id }),
      await consentEmail(other.world, { member_id: id }),
      await passwordResetEmail(other.world, { ...zoe, first_name: hostile, token: 'a-token', proof: 'link' }),
    ]) {
      expect(html).not.toContain('<img')
      expect(text).not.toMatch(/^Total: \$0/m)
      expect(subject + text + html).not.toMatch(/[\u202e\u2028\r]/)
    }
    await other.close()
  })

  it.each([
    ['Zoë', 'Hello Zoë,'],
    ['J. R.', 'Hello J. R.,'],
    ['win.example', 'Hello,'],
    ['see http://x', 'Hello,'],
    ['Call 8005551234 now', 'Hello,'],
  ])('15.12 are left out if they carry a link or a number: %s', async (first_name, greeting) => {
    const email_confirmed_at = site.world.now()
    const { text } = await unpaidEmail(site.world, { ...zoe, first_name, email_confirmed_at, site: 'ana' })
    expect(text.split('\n')[0]).toBe(greeting)
  })

  it('15.12 are left out until the address is confirmed: a stranger may have typed both', async () => {
    await site.db.updateTable('member').set({ first_name: 'Pay up' }).where('id', '=', member_id).execute()
    const emails = async () => [
      await welcomeEmail(site.world, { member_id }),
      await consentEmail(site.world, { member_id }),
      await unpaidEmail(site.world, { ...zoe, first_name: 'Pay up', site: 'ana' }),
    ]
    const confirm = (email_confirmed_at: Date | null) =>
      site.db.updateTable('member').set({ email_confirmed_at }).where('id', '=', member_id).execute()
    await confirm(null)
    for (const { subject, text, html } of await emails()) expect(subject + text + html).not.toContain('Pay up')
    await confirm(site.world.now())
    expect((await emails()).map(({ text }) => text.split('\n')[0])).toEqual([
      'Hello Pay up,',
      'Hello Pay up,',
      'Hello,',
    ])
    await confirm(null)
    await site.db.updateTable('member').set({ first_name: 'Zoë' }).where('id', '=', member_id).execute()
  })

  it.each([
    ['St. Anne & Co', 'St. Anne & Co'],
    ['win.example', 'your sponsor'],
    ['Claim at //x', 'your sponsor'],
    ['Studio 54', 'Studio 54'],
    ['Call 8005551234 now', 'your sponsor'],
  ])('15.12 so is a sponsor’s name: %s', async (name, expected) => {
    const ana = site.db.updateTable('sponsor').where('site', '=', 'ana')
    await ana.set({ name }).execute()
    const { text, html } = await welcomeEmail(site.world, { member_id })
    await ana.set({ name: "Ana's Paper Lantern Studio" }).execute()
    expect(text).toContain(`You joined with ${expected} on November 15, 2026.`)
    expect(text).toContain(`  You joined with: ${expected}\n`)
    if (name !== expected) expect(text + html).not.toContain(name)
  })
})

describe('the outbox', () => {
  type Message = { id: string; subject: string; body: string; has_html: boolean; attachment: string | null }

  it('15.12 shows an email as a mail client would, offers its attachment, and runs no script', async () => {
    while (await runJobs(site.world));
    const messages: Message[] = (await site.get(`/__outbox.json?to=${form.email}`)).json()
    const consent = messages.find(({ attachment }) => attachment)
    expect(messages.map(({ subject, has_html }) => [subject, has_html]).toSorted()).toEqual([
      ['Welcome to Foyer', true],
      ['Your copy of what you accepted', true],
    ])
    const page = await site.get(`/__outbox/${consent?.id}`)
    expect(page.body).toMatch(/^<!doctype html>/)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    const file = await site.get(`/__outbox/${consent?.id}/attachment`)
    expect(file.headers['content-disposition']).toBe("attachment; filename*=UTF-8''consent.json")
    expect(() => JSON.parse(file.body)).not.toThrow()
  })

  it('15.12 answers 404 for an unknown email or attachment', async () => {
    const messages: Message[] = (await site.get(`/__outbox.json?to=${form.email}`)).json()
    const welcome = messages.find(({ attachment }) => !attachment)
    for (const address of [
      `/__outbox/${welcome?.id}/attachment`,
      '/__outbox/6f1c0e0a-0000-4000-8000-000000000000',
      '/__outbox/6f1c0e0a-0000-4000-8000-000000000000/attachment',
      '/__outbox/unknown',
    ])
      expect((await site.get(address)).statusCode, address).toBe(404)
  })

  it('7.6 shows no emails when real gateways send them', async () => {
    const { createApp } = await import('#server/site/app.ts')
    const { plainShell } = await import('#server/test/site.ts')
    const config = { ...site.world.config, embedded: ['database', 'payment'] }
    const app = await createApp({ world: { ...site.world, config }, shell: plainShell })
    const { id } = await site.db.selectFrom('message').select('id').where('html', '<>', '').executeTakeFirstOrThrow()
    for (const address of [`/__outbox/${id}`, `/__outbox/${id}/attachment`])
      expect((await app.inject(address)).statusCode).toBe(404)
    await app.close()
  })
})
