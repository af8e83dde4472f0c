import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import {
  enterOffice,
  fillAccount,
  fillAccountCreation,
  fillCard,
  fillPayment,
  newVisitor,
  next,
  pay,
  waitForHydration,
} from '../../e2e/visitor.ts'
import { chromiumFlags, findFullChromium } from '../../scripts/find.mjs'
import type { TestCard } from './test-cards.ts'

/** The folders of the n-th browser. */
export const profileFolders = (folder: string, number: number) => ({
  profile: join(folder, 'profiles', String(number)),
  tmp: join(folder, 'browser-tmp'),
})

type BrowserFolders = { url: string; profile: string; tmp: string; storage: string }

const openProfile = (profile: string, tmp: string) =>
  chromium.launchPersistentContext(profile, {
    executablePath: findFullChromium() ?? '',
    args: chromiumFlags,
    env: { TMPDIR: tmp, HOME: tmp },
  })

/**
 * Visits with a real browser profile. One visitor fills in everything, leaves, comes back, reloads and never pays; another
 * is declined and then enrolls. What the pages themselves can read is saved in `storage`.
 */
export async function visitInBrowser(
  { url, profile, tmp, storage }: BrowserFolders,
  enrolls: TestCard,
  leaves: TestCard,
): Promise<void> {
  await mkdir(tmp, { recursive: true })
  const context = await openProfile(profile, tmp)
  try {
    const leaving = await context.newPage()
    await fillForm(leaving, url, leaves, leaves.cc_number)
    await typeCard(leaving, leaves)
    await saveStorage(leaving, storage, 'filled')
    await leaving.goto(`${url}/master`)
    await leaving.goBack()
    await leaving.waitForFunction(
      () => history.state?.step === 'ACCOUNT_CREATION' || document.querySelector('#cc_number'), // the page has restored its step
    )
    await leaving.reload()
    await waitForHydration(leaving)
    await saveStorage(leaving, storage, 'came back')

    const paying = await context.newPage()
    await fillForm(paying, url, enrolls, '4000000000000002')
    await pay(paying)
    await paying.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click()
    await typeCard(paying, enrolls)
    await saveStorage(paying, storage, 'declined')
    await pay(paying)
    await enterOffice(paying)
    await paying.getByRole('heading', { name: /^Welcome, / }).waitFor()
    await saveStorage(paying, storage, 'joined')
  } finally {
    await context.close()
  }
}

/** Fills the form up to the payment, and shows the password once. */
async function fillForm(page: Page, url: string, { username, password }: TestCard, cc_number: string) {
  const who = { ...newVisitor(), username, password, email: `${username}@mail.example` }
  await page.goto(`${url}/ana`)
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await page.getByRole('button', { name: 'Show password' }).click()
  await next(page)
  await fillPayment(page, cc_number)
}

async function typeCard(page: Page, { cc_number, cc_cvv }: TestCard) {
  await fillCard(page, cc_number)
  await page.getByLabel('CVC').fill(cc_cvv)
}

/** Saves everything that a script of the page could read. On disk it may be compressed or encrypted. */
async function saveStorage(page: Page, storage: string, name: string) {
  const content = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    history: history.state,
    address: location.href,
    window: window.name,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
  }))
  await mkdir(storage, { recursive: true })
  const cookies = await page.context().cookies()
  await writeFile(join(storage, `${name}.json`), JSON.stringify({ ...content, cookies }, null, 1))
}

const MAX_TRIES = 3

/** Writes texts to the local storage of a profile. Retries, because a closing browser may not save them. */
export async function plantInProfile(folders: Omit<BrowserFolders, 'storage'>, texts: string[]): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await storeTexts(folders, texts)
    if (await hasWritten(folders.profile, texts.at(-1) ?? '')) return
  }
}

/** Each text twice, because a block of the file may end inside one. */
async function storeTexts({ url, profile, tmp }: Omit<BrowserFolders, 'storage'>, texts: string[]) {
  const context: BrowserContext = await openProfile(profile, tmp)
  try {
    const page = await context.newPage()
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<p>planted</p>' }))
    await page.goto(url)
    await page.evaluate((texts) => {
      for (const copy of ['a', 'b'])
        for (const [index, text] of texts.entries()) localStorage.setItem(`planted ${copy}${index}`, text)
    }, texts)
  } finally {
    await context.close()
  }
}

async function hasWritten(profile: string, text: string): Promise<boolean> {
  const folder = join(profile, 'Default', 'Local Storage', 'leveldb')
  const files = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1')))
  return files.some((file) => file.includes(text))
}
