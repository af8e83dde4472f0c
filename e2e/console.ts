import { expect, type Page } from '@playwright/test'
import type { Role } from '#contract/console/permissions.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { createInvitation } from '../server/console/access/invitations.ts'
import { validAnswers } from '../server/test/answers.ts'
import { solve } from '../server/test/solve-captcha.ts'
import { addAuthenticator } from './authenticator.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import type { OwnSite } from './own-site.ts'
import { newVisitor } from './visitor.ts'

/** The link of an invitation. */
export const invite = ({ world }: OwnSite, role: Role, email = `${role}-${newVisitor().username}@staff.example`) =>
  createInvitation(world, { email, role, actor: { id: null, role: 'command line' } })

/** Accepts an invitation with a passkey. */
export async function enter(page: Page, link: string, { name, email }: { name: string; email?: string }) {
  await addAuthenticator(page)
  await page.goto(link)
  await page.getByLabel('Your name').fill(name)
  if (email) await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await expect(
    page.getByRole('heading', { name: 'Today' }),
    '19.89 the button that had the focus is gone',
  ).toBeFocused()
}

/** Gets in as a new colleague. */
export const enterAs = async (page: Page, site: OwnSite, role: Role) =>
  enter(page, await invite(site, role), { name: `Max ${role}` })

/** Joins with a valid form. */
export async function newMember(site: OwnSite, changes: Partial<ReturnType<typeof validAnswers>> = {}) {
  const answers = { ...validAnswers(newVisitor().username), ...changes }
  const captcha = await solve(await (await fetch(site.at('/api/captcha/challenge'))).json())
  const reply = await fetch(site.at('/api/enrollment/add-enrollment'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...answers, captcha }),
  })
  expect((await reply.json()).payment).toBe('Approved')
  while (await runJobs(site.world));
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', answers.username)
    .executeTakeFirstOrThrow()
  return { ...answers, id }
}

/** How many pixels of the page are outside the window. */
export const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Nothing for axe in light and dark, and nothing wider than the window. */
export async function checkScreen(page: Page, name: string) {
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  expect(await findAxeViolationsInBothSchemes(page), name).toEqual([])
  expect(await overflowOf(page), name).toBe(0)
}
