import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod/mini'
import { MASTER } from '#contract/site.ts'
import type { Config } from '#server/config/config.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import { vendorAt } from '#server/gateways/captcha/vendors.ts'
import { safeHeaders } from '#server/http/headers.ts'
import { OperatorError } from '#server/operator-error.ts'
import { loadShell, type Shell } from '#server/site/shell.ts'

/**
 * The list that PCI DSS 6.4.3 asks for: every script that a page with a card form can load, with its hash, owner and purpose, and the
 * headers of these pages. `check.ts` compares a site with it, as 11.6.1 asks for.
 */
const Script = z.object({
  /** Its address, or 'inline'. */
  file: z.string(),
  pages: z.array(z.string()),
  purpose: z.string(),
  owner: z.string(),
  /** None for a script of another company, which may change at any time. */
  sha384: z.nullable(z.string()),
})
const Page = z.object({
  path: z.string(),
  status: z.int(),
  scripts: z.array(z.string()),
  headers: z.record(z.string(), z.string()),
})
export const Inventory = z.object({ foyer: z.string(), pages: z.array(Page), scripts: z.array(Script) })
export type Inventory = z.infer<typeof Inventory>
export type Page = z.infer<typeof Page>
type Script = z.infer<typeof Script>

export const INLINE = 'inline'
const OURS = 'Foyer, from this build'

/** Why each script is there. The build names a script after its first module. */
const purposes: Record<string, string> = {
  main: 'draws the form and leads from step to step',
  next: 'the second step, the rules of the fields, the calls to the server, and the captcha',
  checkout: 'the payment step: takes the card, sends the order, shows the receipt',
  verification: 'confirms a phone by code',
  data: 'countries and their regions',
  openDialog: 'dialogs and legal texts',
  fetchStartData: 'asks for the data of the page again, if the server could not send it along',
  vendorWidget: 'loads another company’s captcha, only if one is chosen',
  office: 'the members’ office, where a member changes the card',
  makePdf: 'makes receipts, credit notes and yearly statements as PDF files',
}
const INLINE_PURPOSE = 'remembers what is pressed before the first script has loaded'
const CAPTCHA_PURPOSE = 'the captcha that the operator has chosen'

export const sha384 = (content: string | Buffer) => `sha384-${hash('sha384', content, 'base64')}`

export async function makeInventory(config: Config): Promise<Inventory> {
  const { CAPTCHA, CAPTCHA_BASE_URL } = config
  const captcha = CAPTCHA === 'altcha' || CAPTCHA === 'off' ? undefined : vendorAt(CAPTCHA, CAPTCHA_BASE_URL)
  const shell = await loadShell(captcha?.sources)
  const pages = pagesOf(shell, config)
  const scripts = new Map<string, Script>()
  const add = (page: Page, script: Omit<Script, 'pages'>) => {
    const { pages } = scripts.get(script.file) ?? { pages: [] }
    scripts.set(script.file, { ...script, pages: [...pages, page.path] })
  }
  for (const page of pages) {
    add(page, { file: INLINE, purpose: INLINE_PURPOSE, owner: OURS, sha384: sha384(shell.head.early) })
    for (const { file, content } of await loadedBy(shell, page))
      add(page, { file, purpose: purposeOf(file), owner: OURS, sha384: sha384(content) })
    if (captcha)
      add(page, { file: captcha.script, purpose: CAPTCHA_PURPOSE, owner: new URL(captcha.script).host, sha384: null })
  }
  const { version }: { version: string } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return { foyer: version, pages, scripts: [...scripts.values()] }
}

/** The wizard, and our office, where a card is changed: its page to sign in has the same script and headers. */
function pagesOf({ head, policy, formPolicy }: Shell, config: Config): Page[] {
  const headers = safeHeaders(config)
  const wizard: Page = {
    path: `/${MASTER}`,
    status: 200,
    scripts: [head.script, ...(head.next ? [head.next] : [])],
    headers: { ...headers, 'content-security-policy': formPolicy },
  }
  const office: Page = {
    path: '/office',
    status: 401,
    scripts: [head.officeScript],
    headers: { ...headers, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  }
  return isOfficeOurs(config) ? [wizard, office] : [wizard]
}

/** The scripts of a page, and those that they import. */
async function loadedBy({ files = '' }: Shell, page: Page): Promise<{ file: string; content: string }[]> {
  const loaded = new Map<string, string>()
  const queue = [...page.scripts]
  for (let file = queue.shift(); file; file = queue.shift()) {
    if (loaded.has(file)) continue
    const content = await readFile(join(files, file), 'utf8')
    loaded.set(file, content)
    for (const [, name] of content.matchAll(/["'`]\.\/([\w-]+\.js)["'`]/g)) queue.push(`/assets/${name}`)
  }
  return [...loaded].map(([file, content]) => ({ file, content }))
}

function purposeOf(file: string): string {
  const name = basename(file).replace(/-[\w-]{8}\.js$/, '')
  const purpose = purposes[name]
  if (!purpose)
    throw new OperatorError(
      `The script ${file} has no purpose yet. Say in server/cli/inventory/inventory.ts why it is there.`,
    )
  return purpose
}
