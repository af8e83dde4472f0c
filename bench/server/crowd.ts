import { createHttpClient } from '../../drill/visitor/http-client.ts'
import { fillIn, press, type Ready } from './visit.ts'

// Visitors as a process of their own. They fill the form and solve the captcha ahead; then they only press the button.

export type Asked =
  | { prepare: number; url: string; lanes: number }
  | { press: number; url: string; lanes: number }
  /** Whole visits: page, captcha, button. */
  | { visit: number; url: string; lanes: number }
export type Told = { ready: number; approved: number; others: string[]; milliseconds: number }

const ready: Ready[] = []

/** Works in so many lanes as long as there is something to do. */
const inLanes = (lanes: number, work: () => Promise<boolean>) =>
  Promise.all(
    Array.from({ length: lanes }, async () => {
      while (await work());
    }),
  )

async function answer(asked: Asked): Promise<Told> {
  const { url, lanes } = asked
  const others: string[] = []
  let approved = 0
  const count = (reply: string) => {
    if (reply === 'Approved') approved += 1
    else others.push(reply)
  }
  const caller = createHttpClient(url, lanes)
  const begun = performance.now()
  if ('prepare' in asked)
    await inLanes(lanes, async () => {
      if (ready.length >= asked.prepare) return false
      ready.push(await fillIn(caller))
      return true
    })
  if ('press' in asked)
    await inLanes(lanes, async () => {
      if (performance.now() - begun >= asked.press) return false
      const next = ready.pop()
      if (!next) throw new Error('There were not enough visitors.')
      count(await press(url, next))
      return true
    })
  if ('visit' in asked) {
    let left = asked.visit
    await inLanes(lanes, async () => {
      if (left-- <= 0) return false
      count(await press(url, await fillIn(caller)))
      return true
    })
  }
  const milliseconds = performance.now() - begun
  caller.close()
  return { ready: ready.length, approved, others: others.slice(0, 3), milliseconds }
}

process.on('message', async (asked: Asked) => process.send?.(await answer(asked)))
