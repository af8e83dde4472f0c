import { expect, type Locator, type Page, test } from '@playwright/test'
import { enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'default' }) // one site for all journeys

const MAX_TABS = 90

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard can’t reach ${target}.`)
}

function keyboardOf(page: Page) {
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
  const press = async (target: Locator) => {
    await tabTo(page, target)
    await page.keyboard.press('Enter')
  }
  const type = async (label: string | RegExp, text: string) => {
    await tabTo(page, page.getByLabel(label).last())
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
  }
  return {
    button,
    press,
    type,
    open: async (name: string) => {
      await press(page.getByRole('navigation').getByRole('link', { name, exact: true }))
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    },
    find: async (text: string, name: string) => {
      await page.keyboard.press('/')
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { name })).toBeFocused()
    },
  }
}

const someone = () =>
  `Kim${Math.random()
    .toString(36)
    .replace(/[^a-z]/g, '')
    .slice(0, 6)}`

test('19.14 with the keyboard alone, a manager holds, releases and corrects a member, and changes the brand @desktop', async ({
  page,
}) => {
  const first_name = someone()
  await newMember(site, { first_name })
  await enterAs(page, site, 'manager')
  const { button, press, type, open, find } = keyboardOf(page)
  await find(first_name, `${first_name} Example`)
  await press(button('Hold'))
  await type('Reason', 'asked on the phone')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The membership is on hold.')).toBeVisible()
  await press(button('Release'))
  await type('Reason', 'asked again')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The hold is released.')).toBeVisible()
  await press(button('Edit'))
  await type('City', 'Sparks')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Sparks')).toBeVisible()
  await open('Packages')
  await open('Brand and texts')
  await type('Welcome text', 'Good to have you.')
  await press(button(/^Save$/))
  await expect(page.getByText('Saved. Open pages show it after a reload.')).toBeVisible()
})

test('19.14 with the keyboard alone, finance refunds a part and filters the members @desktop', async ({ page }) => {
  const first_name = someone()
  await newMember(site, { first_name })
  await enterAs(page, site, 'finance')
  const { button, press, type, open, find } = keyboardOf(page)
  await find(first_name, `${first_name} Example`)
  await press(button('Refund'))
  await type('Amount in dollars', '9.50')
  await type('Reason', 'a late parcel')
  await press(page.getByRole('dialog').getByRole('button', { name: 'Refund' }))
  await expect(page.getByText('The refund is on its way.')).toBeVisible()
  await open('Members')
  await type('Joined from', '01012020')
  await press(button('Apply'))
  await expect(page).toHaveURL(/joined_from=2020-01-01/)
  await expect(page.getByRole('link', { name: `${first_name} Example` })).toBeVisible()
  await open('To do')
})

test('19.14 with the keyboard alone, a viewer reads a member, the funnel and the audit log @desktop', async ({
  page,
}) => {
  const first_name = someone()
  await newMember(site, { first_name })
  await enterAs(page, site, 'viewer')
  const { press, open, find } = keyboardOf(page)
  await find(first_name, `${first_name} Example`)
  await expect(page.getByRole('button', { name: 'Refund' })).toHaveCount(0)
  await press(page.getByRole('button', { name: /^Membership Agreement/ }).first())
  await expect(page.getByRole('dialog')).toContainText('$99')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Membership Agreement/ }).first()).toBeFocused()
  await open('Funnel')
  await open('Audit log')
  await tabTo(page, page.getByLabel('Action'))
  await page.keyboard.type('Accepted an inv')
  await expect(page).toHaveURL(/action=accept_invitation/)
})
