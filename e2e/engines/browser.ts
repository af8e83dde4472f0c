import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver } from './driver.ts'

const TIMEOUT_MS = 30_000
const POLL_MS = 30

const keys = { Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', Backspace: '\uE003' }

export type Browser = ReturnType<typeof createBrowser>

/**
 * A person at a browser: fields are found by their name, and everything that can be pressed by its text. Presses and keys are
 * real ones. Everything waits until it can be done.
 */
export function createBrowser(driver: Driver, origin: string) {
  /** Runs a self-contained function in the page. */
  const evaluate = async <Args extends unknown[], Result>(run: (...args: Args) => Result, ...args: Args) =>
    JSON.parse(await driver.evaluate(`JSON.stringify((${run})(...${JSON.stringify(args)})) ?? 'null'`)) as Result

  /** Retries until there is a value. A page that is being replaced cannot answer, so errors are retried, too. */
  const until = async <Result>(what: string, attempt: () => Promise<Result>): Promise<NonNullable<Result>> => {
    let problem: unknown
    for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
      const result = await attempt().catch((cause: unknown) => {
        problem = cause
      })
      if (result) return result
    }
    throw new Error(`Waited for ${what}. The page shows:\n${await shownText().catch(String)}`, { cause: problem })
  }

  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
  const shownText = async () => (await evaluate(() => document.body.innerText)).replaceAll(/\s+/g, ' ')

  const shows = async (text: string) => (await shownText()).includes(text)

  const perform = (type: 'key' | 'pointer', actions: object[]) => driver.perform([{ type, id: type, actions }])

  const type = (text: string) =>
    perform(
      'key',
      [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    )

  const clickAt = ({ x, y }: { x: number; y: number }) =>
    perform('pointer', [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ])

  const click = async (target: string) =>
    clickAt(await until(`"${target}" to be in reach`, () => evaluate(findInReach, target)))

  /** Leaves the page, and returns when the next one has begun. */
  const leave = async (go: () => Promise<void>) => {
    await evaluate(() => void Object.assign(window, { isLeft: true }))
    await go()
    await until('the next page', () =>
      evaluate(() => !('isLeft' in window) && document.body !== null && location.protocol !== 'about:'),
    )
  }

  return {
    evaluate,
    until,
    clickAt,
    open: (path: string) => leave(() => driver.navigate(new URL(path, origin).href)),
    reload: () => leave(driver.reload),
    back: () => driver.traverse(-1),
    forward: () => driver.traverse(1),
    resize: driver.resize,
    screenshot: driver.screenshot,
    close: driver.close,
    /** Presses a button, link or checkbox. */
    press: click,
    type,
    key: (name: keyof typeof keys) => type(keys[name]),
    /** Replaces what is in a field. */
    async fill(name: string, text: string) {
      await click(`#${name}`)
      await evaluate(() => (document.activeElement as HTMLInputElement).select())
      await type(text || keys.Backspace)
    },
    /** Chooses an option of a select by typing its text, as a person with a keyboard does. */
    async choose(name: string, text: string) {
      await evaluate((id) => document.getElementById(id)?.focus(), name)
      await type(text)
    },
    value: (name: string) => evaluate((id) => (document.getElementById(id) as HTMLInputElement | null)?.value, name),
    /** Waits until a text is on the screen. */
    sees: (text: string) => until(`the text "${text}"`, () => shows(text)),
    shows,
    /** Waits until the page's script has taken over: before that, only presses on a form's own button count. */
    waitForScript: () => until('the script', () => evaluate(() => window.pressed === null)),
    waitForPath: (path: string) => until(path, () => evaluate((path) => location.pathname === path, path)),
  }
}

/**
 * The center of a field (`#name`) or of something with this text, if a press there would hit it. What is moving, or was
 * scrolled and is not painted yet, could be missed.
 */
function findInReach(target: string) {
  const { dataset } = document.documentElement
  if (dataset.scrolling) return null
  const nameOf = (element: Element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim()
  const scope = document.querySelector('dialog[open]') ?? document
  if (scope instanceof Element && scope.getAnimations().length) return null
  const elements = target.startsWith('#')
    ? [...scope.querySelectorAll(target)]
    : [...scope.querySelectorAll('button, a, summary')].filter((element) => nameOf(element).startsWith(target))
  const element = elements.find((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]'))
  if (!element) return null
  const { left, top, width, height } = element.getBoundingClientRect()
  const center = { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }
  const hit = document.elementFromPoint(center.x, center.y)
  if (element.contains(hit) || hit?.contains(element)) return center
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  dataset.scrolling = 'true'
  requestAnimationFrame(() => requestAnimationFrame(() => delete dataset.scrolling))
  return null
}
