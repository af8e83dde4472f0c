import { brotliCompressSync } from 'node:zlib'
import type { Browser } from '@playwright/test'
import { type Sent, visit } from './chromium.ts'
import { changeStep, look, press, type Seen, words } from './inside.ts'

/** A person who makes no mistakes. */
const answers = { first_name: 'Zoë', last_name: 'Example', mobile_phone: '(202) 555-0123' }

export type Looked = Seen & {
  /** From the press to the next step's paint, in a page at rest. */
  stepChange: number
  /** What the document itself asked for, in that order: 'page', 'script', 'image' … */
  asked: string[]
  /** The addresses of the scripts among that. */
  scripts: string[]
  words: string
}

/** Opens a page, types into the first field, waits until all is quiet, and goes on to the next step. */
export const lookAt = (browser: Browser, address: string): Promise<Looked> =>
  visit(browser, async ({ page, sent, quiet }) => {
    await page.addInitScript(look, answers.first_name)
    await page.goto(address)
    await quiet()
    const named = sent.filter(({ type, named }, index) => !index || (named && type !== 'Other'))
    const seen = await page.evaluate(() => window.seen)
    if (!seen.firstField || !seen.largestPaint) throw new Error(`${address} painted nothing that could be filled.`)
    return {
      ...seen,
      firstField: Math.max(seen.firstField, seen.firstPaint),
      words: await page.evaluate(words),
      stepChange: await page.evaluate(changeStep, answers),
      asked: named.map(kindOf),
      scripts: named.filter(({ type }) => type === 'Script').map(({ url }) => url),
    }
  })

const kindOf = ({ type }: Sent) => (type === 'Document' ? 'page' : type.toLowerCase())

const PATIENCE_MS = 15_000

/** Opens a page, fills it and presses Next at once: milliseconds from the navigation to the next step, if it ever came. */
export const pressNext = (browser: Browser, address: string): Promise<number | undefined> =>
  visit(browser, async ({ page }) => {
    await page.addInitScript(press, answers)
    await page.goto(address, { waitUntil: 'commit' })
    const answered = await page
      .waitForFunction(() => window.answered, undefined, { timeout: PATIENCE_MS })
      .catch(() => undefined)
    return answered?.jsonValue()
  })

/** What scripts weigh in brotli, whatever their server sent them in. */
export async function weigh(scripts: string[]): Promise<number> {
  const weights = scripts.map(async (script) => {
    const reply = await fetch(script)
    return brotliCompressSync(await reply.bytes()).length
  })
  return (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0)
}
