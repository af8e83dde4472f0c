import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { findAxeViolations, findAxeViolationsInBothSchemes } from './axe.ts'
import { pressByKeyboard, typeByKeyboard } from './keyboard.ts'
import { createMember, emailsTo, openOffice } from './member.ts'

test('15.17 a member chooses and edits a message, sends it, and downloads the QR code', async ({ page, request }) => {
  await page.addInitScript(() => {
    const shared: ShareData[] = []
    Object.assign(navigator, { share: async (data: ShareData) => shared.push(data) })
    Object.assign(window, { shared })
  })
  const { username, password } = await createMember(request)
  await openOffice(page, username, password)
  const card = page.getByRole('region', { name: 'Your link' })
  await card.getByText('Send it with a message, or show its QR code').click()
  const message = card.getByRole('textbox', { name: 'Message' })
  await expect(message).toHaveValue(/^I’m a member of /)
  await card.getByRole('radio', { name: 'Short' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(message).toHaveValue(/thought of you/)
  await message.fill('Hello & welcome, 50% of "friends" + me?')
  await card.getByRole('radio', { name: 'Invitation' }).check({ force: true })
  await card.getByRole('radio', { name: 'Personal' }).check({ force: true }) // what was edited is kept
  await expect(message).toHaveValue('Hello & welcome, 50% of "friends" + me?')
  const link = (await card.getByRole('link', { name: username }).getAttribute('href')) ?? ''
  const whole = `Hello & welcome, 50% of "friends" + me?\n${link}`
  const hrefOf = async (name: string) => (await card.getByRole('link', { name }).getAttribute('href')) ?? ''
  expect(new URL(await hrefOf('WhatsApp')).searchParams.get('text')).toBe(whole)
  expect(await hrefOf('Email')).toContain(`&body=${encodeURIComponent(whole.replace('\n', '\r\n'))}`)
  expect(await hrefOf('Text message')).toBe(`sms:?&body=${encodeURIComponent(whole)}`)
  await card.getByRole('button', { name: 'Share' }).click()
  expect(await page.evaluate(() => Object(window).shared[0])).toMatchObject({ text: whole.split('\n')[0], url: link })

  for (const [type, start] of [
    ['PNG', '\x89PNG'],
    ['SVG', '<svg'],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('link', { name: `Download the QR code as ${type}` }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${username}-qr-code.${type.toLowerCase()}`)
    expect((await readFile(await download.path(), 'latin1')).slice(0, 4)).toBe(start)
  }
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
})

test('15.20 15.19 a member adds a picture and changes name and username, and visitors see it', async ({
  page,
  request,
  browser,
}) => {
  const { username, password } = await createMember(request)
  await openOffice(page, username, password, '#details')
  const details = page.getByRole('region', { name: 'Your details' })
  const success = details.getByRole('status')
  const file = details.locator('input[type=file]')
  await file.setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') })
  await expect(details.getByRole('alert')).toContainText('Your browser can’t open this file.')
  const photo = await page.screenshot() // a PNG that is not square
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: photo })
  await expect(success).toHaveText('Your picture has been changed.')
  await expect(details.getByRole('button', { name: 'Change picture' })).toBeFocused()
  const picture = details.getByRole('img', { name: 'You, as visitors see you' })
  const pixels = (image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]
  await expect.poll(() => picture.evaluate(pixels)).toEqual([320, 320])

  await pressByKeyboard(page, details.getByRole('button', { name: 'Change name' }))
  await expect(details.getByLabel('First name')).toBeFocused()
  await typeByKeyboard(page, details.getByLabel('Company name'), 'Harbour & Sons')
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  await page.keyboard.press('Enter')
  await expect(success).toHaveText('Your name has been changed.')
  await expect(details).toContainText('Visitors see Harbour & Sons.')

  const fresh = `new${username}`
  await pressByKeyboard(page, details.getByRole('button', { name: 'Change username' }))
  await typeByKeyboard(page, details.getByLabel('New username'), 'ana')
  await typeByKeyboard(page, details.getByLabel('Current password', { exact: true }), password)
  await page.keyboard.press('Enter')
  await expect(details.getByText('This username is already taken.').first()).toBeVisible()
  expect(await findAxeViolations(page, '.change-form')).toEqual([])
  await details.getByLabel('New username').fill(fresh)
  await details.getByRole('button', { name: 'Save' }).click()
  await expect(success).toHaveText(`Your username is now ${fresh}. Your old link leads to the new one.`)
  await expect(details.getByRole('button', { name: 'Change username' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Your link' }).getByRole('link', { name: fresh })).toBeVisible()

  const visitor = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await visitor.goto(`/${username}`)
  await expect(visitor).toHaveURL(new RegExp(`/${fresh}$`))
  await expect(visitor.getByText('You are joining with Harbour & Sons')).toBeVisible()
  const portrait = visitor.locator('.sponsor img')
  await expect.poll(() => portrait.evaluate(pixels)).toEqual([320, 320])

  await details.getByRole('button', { name: 'Remove picture' }).click()
  await expect(success).toHaveText('Your picture has been removed.')
  await visitor.reload()
  await expect(portrait).toHaveCount(0)
})

test('15.18 a sponsor is told who joined, and stops these emails without signing in', async ({
  page,
  request,
  playwright,
  baseURL,
  browser,
}) => {
  const { username, password, email } = await createMember(request)
  const friend = await playwright.request.newContext({ baseURL })
  await createMember(friend, { sponsor_site_name: username, first_name: 'Mara' })
  await expect.poll(() => emailsTo(page, email)).toContain('Someone joined through your link')
  const url = /http\S+\/office\/unsubscribe\/\S+/.exec(await emailsTo(page, email))?.[0] ?? ''

  const withoutScript = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await withoutScript.goto(url)
  await withoutScript.getByRole('button', { name: 'Stop these emails' }).click()
  await expect(withoutScript.getByRole('heading', { name: 'You won’t get these emails anymore' })).toBeVisible()
  await page.goto(url)
  expect(await findAxeViolations(page)).toEqual([])

  await openOffice(page, username, password)
  const referrals = page.getByRole('region', { name: 'People who joined through you' })
  const box = referrals.getByRole('checkbox', { name: 'Email me when someone joins through my link' })
  await expect(box).not.toBeChecked()
  await typeByKeyboard(page, box, ' ')
  await expect(referrals.getByRole('status')).toHaveText('We’ll email you when someone joins through your link.')
  await page.reload()
  await expect(box).toBeChecked()
  await page.route('**/api/office/join-emails', (route) => route.abort())
  await box.click()
  await expect(referrals.getByRole('alert')).toContainText('We couldn’t reach the server.')
  await expect(box).toBeChecked()
})

test('15.21 a receipt and a statement are downloaded as PDFs, with a name in any script', async ({ page, request }) => {
  const { username, password } = await createMember(request, { first_name: '小龙', last_name: '李' })
  await openOffice(page, username, password)
  const payments = page.getByRole('region', { name: 'Payments' })
  const press = (name: string) =>
    Promise.all([page.waitForEvent('download'), payments.getByRole('button', { name }).click()])
  const [statement] = await press('statement')
  expect(statement.suggestedFilename()).toMatch(/^foyer-statement-\d{4}\.pdf$/)
  expect(await readFile(await statement.path(), 'latin1')).toContain(Buffer.from('Total for ').toString('hex'))
  const [download] = await press('PDF')
  expect(download.suggestedFilename()).toMatch(/^foyer-receipt-\d{4}-\d\d-\d\d\.pdf$/)
  const pdf = await readFile(await download.path(), 'latin1')
  const reference = (await payments.locator('code').textContent()) ?? ''
  expect(pdf).toMatch(/^%PDF-1\.7/)
  expect(pdf).toContain(`<${Buffer.from(reference).toString('hex')}> Tj`)
  expect(pdf).toContain(Buffer.from('小龙 李', 'utf16le').swap16().toString('hex')) // to copy and to read aloud
  expect(pdf).toContain('/Filter/DCTDecode') // to look at
})

test('15.22 on a desktop, both columns end at about the same height', async ({
  request,
  browser,
  playwright,
  baseURL,
}) => {
  const { username, password } = await createMember(request)
  const heightsAt = async (width: number, height: number) => {
    const page = await (await browser.newContext({ viewport: { width, height } })).newPage()
    await openOffice(page, username, password)
    const bottoms = await page
      .locator('.column')
      .evaluateAll((columns) => columns.map((column) => column.lastElementChild?.getBoundingClientRect().bottom ?? 0))
    await page.context().close()
    return Math.abs((bottoms[0] ?? 0) - (bottoms[1] ?? 0))
  }
  for (const [width, height] of [
    [1280, 900],
    [1600, 1000],
  ] as const)
    expect(await heightsAt(width, height)).toBeLessThan(250)
  for (let count = 0; count < 5; count++)
    await createMember(await playwright.request.newContext({ baseURL }), { sponsor_site_name: username })
  expect(await heightsAt(1280, 900)).toBeLessThan(250)
})
