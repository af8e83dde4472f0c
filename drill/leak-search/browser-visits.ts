import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import {
  awake,
  fillAccount,
  fillAccountCreation,
  fillCard,
  fillPayment,
  next,
  pay,
  someone,
} from '../../e2e/visitor.ts'
import { chromiumFlags, findWholeChromium } from '../../scripts/find.mjs'
import type { Mark } from './test-cards.ts'

/** The folders of one browser. */
export const profileOf = (folder: string, number: number) => ({
  profile: join(folder, 'profiles', String(number)),
  tmp: join(folder, 'browser-tmp'),
})

type Where = { url: string; profile: string; tmp: string; storage: string }

const openProfile = (profile: string, tmp: string) =>
  chromium.launchPersistentContext(profile, {
    executablePath: findWholeChromium() ?? '',
    args: chromiumFlags,
    env: { TMPDIR: tmp, HOME: tmp },
  })

/**
 * Visits with a real profile: one person fills in everything, goes away, comes back, reloads and
 * never pays; another is declined and then joins. Leaves what the pages themselves could still read in `storage`.
 */
export async function browse({ url, profile, tmp, storage }: Where, joins: Mark, leaves: Mark): Promise<void> {
  await mkdir(tmp, { recursive: true })
  const context = await openProfile(profile, tmp)
  try {
    const leaving = await context.newPage()
    await fillForm(leaving, url, leaves, leaves.cc_number)
    await typeCard(leaving, leaves)
    await keep(leaving, storage, 'filled')
    await leaving.goto(`${url}/master`)
    await leaving.goBack()
    await leaving.waitForFunction(
      () => history.state?.step === 'ACCOUNT_CREATION' || document.querySelector('#cc_number'), // its own way back is over
    )
    await leaving.reload()
    await awake(leaving)
    await keep(leaving, storage, 'came back')

    const paying = await context.newPage()
    await fillForm(paying, url, joins, '4000000000000002')
    await pay(paying)
    await paying.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click()
    await typeCard(paying, joins)
    await keep(paying, storage, 'declined')
    await pay(paying)
    await paying.getByRole('heading', { name: /^Welcome, / }).waitFor()
    await keep(paying, storage, 'joined')
  } finally {
    await context.close()
  }
}

/** Up to the payment, with a look at the password on the way. */
async function fillForm(page: Page, url: string, { username, password }: Mark, cc_number: string) {
  const who = { ...someone(), username, password, email: `${username}@mail.example` }
  await page.goto(`${url}/ana`)
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await page.getByRole('button', { name: 'Show password' }).click()
  await next(page)
  await fillPayment(page, cc_number)
}

async function typeCard(page: Page, { cc_number, cc_cvv }: Mark) {
  await fillCard(page, cc_number)
  await page.getByLabel('CVC').fill(cc_cvv)
}

/** Everything a script of the page could read, which a database on disk may hold compressed or encrypted. */
async function keep(page: Page, storage: string, name: string) {
  const read = await page.evaluate(async () => ({
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
  await writeFile(join(storage, `${name}.json`), JSON.stringify({ ...read, cookies }, null, 1))
}

const TRIES = 3

/** Puts these texts into the local storage of a profile. A browser that is closed in a hurry may not write it. */
export async function plantInProfile(where: Omit<Where, 'storage'>, texts: string[]): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await storeTexts(where, texts)
    if (await hasWritten(where.profile, texts.at(-1) ?? '')) return
  }
}

/** Twice each: a block of the file may end inside one. */
async function storeTexts({ url, profile, tmp }: Omit<Where, 'storage'>, texts: string[]) {
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
