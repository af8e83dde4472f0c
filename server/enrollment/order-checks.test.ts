import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LegalDocument } from '#contract/api.ts'
import { AT_CHECKOUT, documentsFingerprint, isShownAtCheckout } from '#contract/legal.ts'
import { welcomeEmail } from '#server/emails/emails.ts'
import { viewOffice } from '#server/office/view.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const join = async (changes: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), headers)

const memberNamed = (username: string) =>
  site.db.selectFrom('member').selectAll().where('username', '=', username).executeTakeFirst()

describe('an order that must match the screen', () => {
  it('4.21 a price that differs from the one on the screen is refused before the bank is asked', async () => {
    const reply = await join({ shown_total: '89.00', username: 'sawless' })
    expect([reply.statusCode, reply.json().message]).toEqual([
      422,
      'The price has changed from $89.00 to $99.00. Please check the new total before you pay.',
    ])
    expect(await memberNamed('sawless')).toBeUndefined()
    expect((await join({ shown_total: '99.00' })).json().payment).toBe('Approved')
  })

  it('4.21 documents that differ from those on the screen are refused', async () => {
    const documents = (await site.get('/api/enrollment/get-all-legal-documents')).json() as LegalDocument[]
    const atCheckout = documents.filter(isShownAtCheckout)
    const reply = await join({ shown_texts: documentsFingerprint(atCheckout.slice(1)) })
    expect(reply.json().fields).toEqual({
      agreement_1: ['A document has changed since you opened this page. Please read it again, or reload the page.'],
    })
    expect((await join({ shown_texts: documentsFingerprint(atCheckout) })).json().payment).toBe('Approved')
  })

  it('4.21 a consent text that differs from the one on the screen is refused before the bank is asked', async () => {
    const text = (monthly: string) =>
      `I agree that my card is charged $99.00 today and $${monthly} every month until I cancel.`
    const reply = await join({ shown_consent: text('89.00'), username: 'outdated' })
    expect([reply.statusCode, reply.json().fields]).toEqual([
      422,
      { agreement_2: ['This text has changed since you opened this page. Please read it again, or reload the page.'] },
    ])
    expect(await memberNamed('outdated')).toBeUndefined()
    expect((await join({ shown_consent: text('99.00') })).json().payment).toBe('Approved')
  })

  it('4.21 a document that is listed twice is accepted once, and the payment goes through', async () => {
    const document = await site.db
      .selectFrom('legal_document')
      .selectAll()
      .where('status', '=', 'active')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    const id = document.id + 100
    const duplicate = { ...document, id, display_on_checkout: [AT_CHECKOUT] as never }
    await site.db.insertInto('legal_document').values(duplicate).execute()
    expect((await join()).json().payment).toBe('Approved')
    await site.db.deleteFrom('legal_document').where('id', '=', id).execute()
  })
})

it('4.5 gives the consent a new version when the price changes, and keeps the old text', async () => {
  const consentOf = async (username: string) => {
    await join({ username })
    const { id = '' } = (await memberNamed(username)) ?? {}
    return site.db
      .selectFrom('acceptance')
      .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
      .select(['version', 'content'])
      .where('member_id', '=', id)
      .where('agreement', '=', 'agreement_2')
      .executeTakeFirstOrThrow()
  }
  const setPrice = (price_cents: number) =>
    site.db.updateTable('package').set({ price_cents }).where('product_id', '=', 34).execute()
  const before = await consentOf('cheaper')
  await setPrice(10_900)
  const after = await consentOf('dearer')
  await setPrice(9_900)
  expect(after.content).toContain('$109.00 today and $99.00 every month')
  expect(after.version).not.toBe(before.version)
  expect(await consentOf('cheaperagain')).toEqual(before)
})

describe('an order with optional packages', () => {
  it('2.3 4.12 is refused while their step is switched off, and nothing is charged', async () => {
    const reply = await join({ username: 'eager', autoship_product_ids: '41', special_product_ids: '51' })
    expect([reply.statusCode, reply.json().fields]).toEqual([
      422,
      {
        autoship_product_ids: ['This package is not available.'],
        special_product_ids: ['This package is not available.'],
      },
    ])
    expect(await memberNamed('eager')).toBeUndefined()
  })

  it('2.3 4.1 buys several recurring packages, and everything it says names the price a month', async () => {
    const open = await testSite({ AUTOSHIP: 'on', SPECIAL: 'on' })
    const parcel = await open.db
      .selectFrom('package')
      .selectAll()
      .where('product_id', '=', 41)
      .executeTakeFirstOrThrow()
    const letter = { ...parcel, product_id: 42, name: 'The Monthly Letter', price_cents: 1_900, renewal_cents: 1_900 }
    await open.db.insertInto('package').values(letter).execute()
    const lists = { autoship_product_ids: '42,41', special_product_ids: '51' }
    const reply = await open.post('enrollment/add-enrollment', await filledForm(open, { username: 'fern', ...lists }))
    expect(reply.json().payment).toBe('Approved')
    const lines = await open.db
      .selectFrom('order_line')
      .select(['product_id', 'list', 'price_cents', 'renewal_cents'])
      .execute()
    expect(lines.sort((a, b) => a.product_id - b.product_id)).toEqual([
      { product_id: 34, list: 'product_ids', price_cents: 9_900, renewal_cents: 9_900 },
      { product_id: 41, list: 'autoship_product_ids', price_cents: 2_400, renewal_cents: 2_400 },
      { product_id: 42, list: 'autoship_product_ids', price_cents: 1_900, renewal_cents: 1_900 },
      { product_id: 51, list: 'special_product_ids', price_cents: 4_900, renewal_cents: 0 },
    ])
    const { id } = await open.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    const { text } = await welcomeEmail(open.world, { member_id: id })
    expect(text).toContain('  The Monthly Parcel: $24.00 a month\n  The Monthly Letter: $19.00 a month\n')
    expect(text).toContain('  Lantern Night Seat: $49.00\n  Total: $191.00\n')
    expect(text).toContain('costs $142.00 a month until you cancel.')
    const { membership, receipt } = await viewOffice(open.world, id)
    expect(membership.price).toBe('142.00')
    expect(receipt?.lines).toContainEqual({
      billing_interval: 'month',
      name: 'The Monthly Letter',
      price: '19.00',
      is_recurring: true,
    })
    const consents = await open.db
      .selectFrom('legal_text')
      .select('content')
      .where('content', 'like', 'I agree%')
      .execute()
    expect(consents).toEqual([
      { content: 'I agree that my card is charged $191.00 today and $142.00 every month until I cancel.' },
    ])
    await open.close()
  })
})
