import { brotliCompressSync } from 'node:zlib'
import type { Browser } from './chromium.ts'
import { answered, changeStep, look, press, type Seen, seen, words } from './inside.ts'
import { type Sent, visit } from './phone.ts'

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
  visit(browser, async ({ first, open, inside, sent, quiet }) => {
    await first(look, answers.first_name)
    await open(address)
    await quiet()
    const named = sent.filter(({ type, named }, index) => !index || (named && type !== 'Other'))
    const found = await inside(seen, undefined)
    if (!found.firstField || !found.largestPaint) throw new Error(`${address} painted nothing that could be filled.`)
    return {
      ...found,
      firstField: Math.max(found.firstField, found.firstPaint),
      words: await inside(words, undefined),
      stepChange: await inside(changeStep, answers),
      asked: named.map(kindOf),
      scripts: named.filter(({ type }) => type === 'Script').map(({ url }) => url),
    }
  })

const kindOf = ({ type }: Sent) => (type === 'Document' ? 'page' : type.toLowerCase())

const PATIENCE_MS = 15_000

/** Opens a page, fills it and presses Next at once: milliseconds from the navigation to the next step, if it ever came. */
export const pressNext = (browser: Browser, address: string): Promise<number | null> =>
  visit(browser, async ({ first, open, inside }) => {
    await first(press, answers)
    await open(address)
    return inside(answered, PATIENCE_MS).catch(() => null) // the form was sent away, and the page with it
  })

/** What scripts weigh in brotli, whatever their server sent them in. */
export async function weigh(scripts: string[]): Promise<number> {
  const weights = scripts.map(async (script) => {
    const reply = await fetch(script)
    return brotliCompressSync(await reply.bytes()).length
  })
  return (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0)
}
