import { expect, type Page, test } from '@playwright/test'
import { checkScreen, enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
test.beforeAll(async () => {
  site = await startOwnSite({ LOG_LEVEL: 'fatal' })
})
test.afterAll(() => site.close())
test.describe.configure({ mode: 'default' }) // one site for all journeys

test('19.87 a form that someone else saved meanwhile shows both answers to choose from', async ({ page }) => {
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/brand'))
  await page.getByLabel('Name').fill('Acme')
  await page.getByLabel('Welcome text').fill('Good to have you.')
  await site.db
    .insertInto('brand')
    .values({ id: 1, name: 'Harbor', support: 'help@harbor.example', updated_at: new Date() })
    .execute()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Someone else saved this form while you were editing it.')).toBeVisible()
  await expect(page.getByLabel('Support address')).toHaveValue('help@harbor.example')
  const name = page.getByRole('group', { name: 'Name' })
  await expect(name.getByRole('button', { name: 'Yours: Acme' })).toHaveAttribute('aria-pressed', 'true')
  await checkScreen(page, 'brand with a conflict')
  await name.getByRole('button', { name: 'Theirs: Harbor' }).click()
  await expect(page.getByLabel('Name')).toHaveValue('Harbor')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved. Open pages show it after a reload.')).toBeVisible()
  expect(await site.db.selectFrom('brand').select(['name', 'support', 'welcome']).executeTakeFirstOrThrow()).toEqual({
    name: 'Harbor',
    support: 'help@harbor.example',
    welcome: 'Good to have you.',
  })
})

test('19.88 what was typed into a document survives leaving, a reload and the end of the session', async ({ page }) => {
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/documents/1'))
  await page.getByRole('link', { name: 'Write a new version' }).click()
  const text = page.getByLabel('Text', { exact: true })
  const typed = `${await text.inputValue()}\n\nBe kind.`
  await text.fill(typed)

  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.goBack()
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(text).toHaveValue(typed)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await checkScreen(page, 'leaving the editor')
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { name: 'As visitors read it' })).toBeVisible()
  await page.getByRole('link', { name: 'Write a new version' }).click()
  await expect(text).toHaveValue(/Be kind\.\s*$/)
  await expect(page.getByText('This is what you typed before.')).toBeVisible()
  await checkScreen(page, 'the editor with a draft')

  await endSession()
  await page.getByRole('button', { name: 'Publish version 2 now' }).click()
  await signInAgain(page)
  await expect(page.getByText('Version 2 is live.')).toBeVisible()
  const stored = await site.db.selectFrom('legal_text').select('content').execute()
  expect(stored.some(({ content }) => content.endsWith('<p>Be kind.</p>'))).toBe(true)

  await page.getByRole('link', { name: 'Write a new version' }).click()
  await text.fill('Another')
  page.once('dialog', (dialog) => dialog.accept()) // the browser asks before a reload
  await page.reload()
  await expect(text).toHaveValue(/^Another\s*$/)
  await page.getByRole('button', { name: 'Discard it' }).click()
  await expect(text).toHaveValue(/Be kind\.\s*$/)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'As visitors read it' })).toBeVisible()
})

test('19.88 19.89 every screen shows what is paused, says what was done, and moves the focus', async ({ page }) => {
  const member = await newMember(site, { first_name: 'Mara' })
  await enterAs(page, site, 'manager')
  await site.db.insertInto('joining_pause').values({ id: 1, message: 'Soon.', created_at: new Date() }).execute()
  await page.evaluate(() => dispatchEvent(new Event('focus'))) // as if someone came back to the tab
  await expect(page.getByText('Joining is paused.')).toBeVisible()
  await checkScreen(page, 'today with a pause')
  await page.getByRole('link', { name: 'Open Abuse' }).click()
  await expect(page.getByRole('heading', { name: 'Abuse' })).toBeFocused()
  await expect(page).toHaveTitle('Abuse · Console')
  await page.getByRole('button', { name: 'Open joining again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open joining' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Joining is open again.' })).toBeVisible()
  await expect(page.getByText('Joining is paused.')).toHaveCount(0)

  await page.keyboard.press('/')
  await page.keyboard.type(member.username)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Mara Example' })).toBeFocused() // the only hit
  await expect(page).toHaveTitle('Mara Example · Console')
  await page.getByText('Actions', { exact: true }).click()
  await checkScreen(page, 'the actions of a member')
  const edit = page.locator('.action-menu').getByRole('button', { name: 'Edit details' })
  await expect(edit).toBeInViewport()
  await edit.click()
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeInViewport({ ratio: 1 })
  await expectQuestionBeforeClosing(page)
})

async function expectQuestionBeforeClosing(page: Page) {
  const details = page.getByRole('dialog', { name: 'Edit Mara’s details' })
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await details.getByLabel('Company').fill('Pier')
  for (let count = 0; count < 4; count++) await page.keyboard.press('Escape') // asks, stays, asks, stays
  await expect(question).toHaveCount(0)
  await expect(details.getByLabel('Company')).toHaveValue('Pier')
  await details.getByRole('button', { name: 'Cancel' }).click()
  await checkScreen(page, 'closing a changed form')
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(details).toHaveCount(0)
  await page.locator('.action-menu').getByRole('button', { name: 'Edit details' }).click()
  await expect(details.getByLabel('Company')).toHaveValue('')
  await page.keyboard.press('Escape')
  await expect(details).toHaveCount(0)
}

test('19.88 19.89 Back and signing out ask before typed text is lost, and the next colleague starts without it', async ({
  page,
  context,
}) => {
  const { username } = await newMember(site, { first_name: 'Bea' })
  await enterAs(page, site, 'manager')
  await page.goto(site.at(`/console/members?search=${username}`))
  const row = page.getByRole('link', { name: 'Bea Example' })
  await expect(row).toBeVisible()
  await page.route('**/api/console/members?*', (route) => route.abort())
  await page.getByLabel('Search members').fill('someone else')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/reach the server/), 'the last hit stays closed').toBeVisible()
  await page.unrouteAll()

  await row.click()
  await page.getByText('Actions', { exact: true }).click()
  await page.locator('.action-menu').getByRole('button', { name: 'Edit details' }).click()
  await page.getByLabel('Company').fill('Pier')
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { name: 'Members: “someone else”' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.goto(site.at('/console/brand'))
  const name = page.getByLabel('Name')
  await name.fill('Typed by the manager')
  await enterAs(await context.newPage(), site, 'owner')
  await page.evaluate(() => dispatchEvent(new Event('focus'))) // as if someone came back to the tab
  await expect(page.getByText('Max owner')).toBeAttached()
  await expect(name).not.toHaveValue('Typed by the manager')
  expect(await page.evaluate(() => sessionStorage.getItem('foyer.console_drafts'))).toBeNull()

  await name.fill('Typed by the owner')
  await page.getByRole('button', { name: 'Menu' }).click()
  const signOut = page.getByRole('button', { name: 'Sign out' })
  await signOut.click()
  await expect(question).toContainText('Signing out deletes what you typed.')
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(name).toHaveValue('Typed by the owner')
  await signOut.click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to the console' })).toBeVisible()
})

const endSession = () =>
  site.db
    .updateTable('console_session')
    .set({ idle_until: new Date(0) })
    .execute()

async function signInAgain(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(dialog).toBeVisible()
  await checkScreen(page, 'signing in again')
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
}

test('19.88 typed text is gone once a different colleague opens the console in the same tab', async ({
  page,
  context,
}) => {
  const drafts = () => page.evaluate(() => sessionStorage.getItem('foyer.console_drafts'))
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/brand'))
  await page.getByLabel('Name').fill('Typed by the manager')
  await expect.poll(drafts).toContain('Typed by the manager')
  await enterAs(await context.newPage(), site, 'owner')
  page.once('dialog', (dialog) => dialog.accept()) // the browser asks before another page
  await page.goto(site.at('/console'))
  await expect(page.getByText('Max owner')).toBeAttached()
  expect(await drafts()).toBeNull()
})
