import { expect, type Locator, type Page, test } from '@playwright/test'
import {
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillPayment,
  newPhone,
  newVisitor,
  next,
  pay,
  reachPayment,
} from './visitor.ts'

// What the phone field accepts, and how a visitor whose number gets no code goes on.

const phone = (page: Page) => page.getByLabel('Mobile phone number')
const countryCode = (page: Page) => page.getByLabel('Country code')
const errorAtPhone = (page: Page) => page.locator('#mobile_phone-error')

const boxOf = async (element: Locator) => (await element.boundingBox()) ?? { y: Number.NaN, height: 0 }

const fromMexico = () => ({ ...newVisitor(), phone: '+52 55 1234 5678' })

/** The server's answer while cards need a code and no phone can have this number. */
const impossibleNumber = {
  status: 422,
  json: {
    message: 'Please check the marked fields.',
    fields: { mobile_phone: ['Invalid mobile phone number format.'] },
  },
}

/** The site on which every visitor confirms their phone. */
async function reachVerifiedAccount(page: Page) {
  await page.goto(new URL('/ana', process.env.BASE_URL_ALL_STEPS).href)
  await page
    .getByRole('button', { name: /Founding Membership/ })
    .first()
    .click()
  for (const heading of ['Would you like to add anything?', 'Special offer']) {
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await page.getByRole('button', { name: /Continue without/ }).click()
  }
}

test('5.9 a number that is too short as typed is refused immediately, and one that the server refuses leads back to its field', async ({
  page,
}) => {
  await page.goto('/ana')
  await fillAccount(page, { ...newVisitor(), phone: '123456' })
  await next(page)
  await expect(errorAtPhone(page)).toHaveText('Invalid mobile phone number format.')
  await reachPayment(page, '/ana', { ...newVisitor(), phone: '555 0123' })
  await fillPayment(page)
  await page.route('**/api/enrollment/add-enrollment', (route) => route.fulfill(impossibleNumber), { times: 1 })
  await pay(page)
  await expect(errorAtPhone(page)).toHaveText('Invalid mobile phone number format.')
  await expect(phone(page)).toBeFocused()
  await next(page)
  await expect(phone(page), 'the same number is not tried again').toBeVisible()
  await phone(page).fill('55 1234 5678')
  await next(page) // leads straight back to PAYMENT
  await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // needed to agree to it
  await pay(page)
  await enterOffice(page)
})

/** The server's answer while cards need a code that this number cannot get. */
const message =
  'Right now we confirm phone numbers with a code before we charge a card, and we can’t send one to this country. Please use a mobile number from the United States or Canada, or try again in 10 minutes.'
const noCodeForCountry = {
  status: 422,
  json: { message: 'Please check the marked fields.', fields: { code: ['Please confirm.'], mobile_phone: [message] } },
}

for (const [way, go] of [
  ['enters another number', (page: Page) => phone(page).fill('+1 202 555 0123')],
  ['tries again later with the same one', async () => undefined],
] as const)
  test(`5.11 a visitor whose number gets no code is led to the phone field, ${way}, and joins`, {
    tag: '@width',
  }, async ({ page }) => {
    await reachPayment(page, '/ana', fromMexico())
    await fillPayment(page)
    await page.route('**/api/enrollment/add-enrollment', (route) => route.fulfill(noCodeForCountry), { times: 1 })
    await pay(page)
    await expect(errorAtPhone(page)).toHaveText(message)
    const [error, button] = [await boxOf(errorAtPhone(page)), await boxOf(page.getByRole('button', { name: 'Next' }))]
    expect(error.y + error.height, 'not behind the button').toBeLessThanOrEqual(button.y)
    await expect(phone(page)).toBeFocused()
    await go(page)
    await next(page) // leads straight back to PAYMENT
    await expect(page.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
    await expect(page.getByRole('button', { name: 'Membership Agreement' })).toBeVisible() // needed to agree to it
    await pay(page)
    await enterOffice(page)
  })

test('5.10 with verification on, a country without codes is named at the phone field before Next', async ({ page }) => {
  await reachVerifiedAccount(page)
  const sentence = 'We can’t send a code to this country. Please use a mobile number from the United States or Canada.'
  await countryCode(page).focus() // which adds the other countries
  await countryCode(page).selectOption('MX')
  await expect(page.locator('#mobile_phone-hint')).toHaveText(sentence)
  await fillAccount(page, { ...newVisitor(), phone: '55 1234 5678' })
  await next(page)
  await expect(errorAtPhone(page)).toHaveText(sentence)
  await phone(page).fill('+1 416 555 0123')
  await expect(errorAtPhone(page)).toHaveCount(0)
  await expect(page.locator('#mobile_phone-hint')).toContainText('We’ll send you a code')
})

test('5.12 why a code was not sent stands at the phone field for a visitor who goes back, and does not stop Next', async ({
  page,
}) => {
  await reachVerifiedAccount(page)
  await fillAccount(page, { ...newVisitor(), phone: newPhone('0500') })
  await next(page)
  await page.getByRole('alertdialog', { name: 'Error' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(errorAtPhone(page)).toHaveText('Error sending verification code')
  await next(page)
  await expect(page.getByRole('heading', { name: 'Confirm your phone' })).toBeVisible()
})

test('5.6 6.1 without VOICE_CALL no call is offered, and with COMMON_PASSWORDS=allow a common password passes', async ({
  page,
}) => {
  const replies = [
    ['send-verification-code', { status: 0, message: 'Not sent.' }],
    ['verify-code', { status: 1, message: '' }],
  ] as const
  for (const [call, json] of replies) await page.route(`**/api/twilio/${call}`, (route) => route.fulfill({ json }))
  await page.goto(new URL('/ana', process.env.BASE_URL_VENDOR).href)
  const visitor = { ...newVisitor(), password: 'Password-1' }
  await fillAccount(page, visitor)
  await next(page)
  await page.getByRole('alertdialog', { name: 'Error' }).waitFor()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Resend code' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Call me instead' })).toHaveCount(0)
  await page.locator('[name=code]').fill('123456')
  await page.getByRole('dialog').getByRole('button', { name: 'Proceed' }).click()
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
})
