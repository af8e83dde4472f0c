// What runs inside the page that is measured. Each function is handed over as text, so each stands alone.

/** What was seen of a page while it arrived; times are milliseconds since the navigation began. */
export type Seen = {
  largestPaint: number
  firstPaint: number
  layoutShift: number
  /** What moved, and from where to where. */
  moved: string[]
  /** When the first field was painted and took the text that still stood in it once the page was quiet. */
  firstField: number
}

declare global {
  interface Window {
    seen: Seen
    looksNoMore: boolean
    /** When the next step had been painted. */
    answered: Promise<number>
  }
}

/** Watches the paints, and types into the first field as soon as it stands on the screen; again, if the text gets lost. */
export function look(text: string): void {
  const seen: Seen = { largestPaint: 0, firstPaint: 0, layoutShift: 0, moved: [], firstField: 0 }
  window.seen = seen
  type Moved = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }
  type Entry = PerformanceEntry & { value?: number; sources?: Moved[] }
  const watch = (type: string, take: (entry: Entry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('largest-contentful-paint', ({ startTime }) => {
    seen.largestPaint = startTime
  })
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.firstPaint = startTime
  })
  const place = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(' ')
  watch('layout-shift', ({ value = 0, sources = [] }) => {
    seen.layoutShift += value
    for (const { node, previousRect, currentRect } of sources)
      seen.moved.push(`${node?.textContent?.slice(0, 20)}: ${place(previousRect)} → ${place(currentRect)}`)
  })

  const type = () => {
    if (window.looksNoMore) return
    requestAnimationFrame(type)
    const field = document.querySelector<HTMLInputElement>('input[name=first_name]')
    if (!field?.getClientRects().length || field.disabled || field.readOnly || field.value === text) return
    field.focus({ preventScroll: true })
    field.select()
    document.execCommand('insertText', false, text)
    if (field.value === text) seen.firstField = performance.now()
  }
  requestAnimationFrame(type)
}

export const seen = (): Seen => window.seen

/**
 * Fills the required fields as soon as a person could, which is once the page is parsed and painted, presses Next, once
 * and at once, and waits for the next step.
 */
export function press(answers: Record<string, string>): void {
  const shown = (name: string) => {
    const field = document.querySelector<HTMLInputElement>(`input[name=${name}]`)
    return field?.checkVisibility({ visibilityProperty: true }) ? field : undefined
  }
  const fill = () => {
    const fields = Object.keys(answers).map(shown)
    const button = document.querySelector<HTMLElement>('.step-form [type=submit]')
    const isPainted = performance.getEntriesByName('first-contentful-paint').length > 0
    if (!isPainted || document.readyState === 'loading' || !button || fields.includes(undefined))
      return requestAnimationFrame(fill)
    for (const field of fields) {
      field?.focus({ preventScroll: true })
      document.execCommand('insertText', false, answers[field?.name ?? ''])
    }
    button.click()
    requestAnimationFrame(wait)
  }
  const { promise, resolve } = Promise.withResolvers<number>()
  window.answered = promise
  const wait = () => {
    if (!shown('email')) return requestAnimationFrame(wait)
    const painted = new MessageChannel()
    painted.port1.onmessage = () => resolve(performance.now())
    painted.port2.postMessage(undefined)
  }
  requestAnimationFrame(fill)
}

/** When the press was answered; null if it was not within `patience` milliseconds. */
export const answered = (patience: number): Promise<number | null> =>
  Promise.race([window.answered, new Promise<null>((resolve) => setTimeout(() => resolve(null), patience))])

/** In a page at rest: fills the fields, presses Next, and tells how long it took until the next step was painted. */
export async function changeStep(answers: Record<string, string>): Promise<number> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const paint = () =>
    new Promise<void>((resolve) => {
      const painted = new MessageChannel()
      painted.port1.onmessage = () => resolve()
      painted.port2.postMessage(undefined)
    })
  const isShown = () => document.querySelector('input[name=email]')?.checkVisibility({ visibilityProperty: true })
  window.looksNoMore = true
  for (const [name, text] of Object.entries(answers)) {
    const field = document.querySelector<HTMLInputElement>(`input[name=${name}]`)
    field?.focus({ preventScroll: true })
    field?.select()
    document.execCommand('insertText', false, text)
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  await frame()
  await paint()
  const pressed = performance.now()
  document.querySelector<HTMLElement>('.step-form [type=submit]')?.click()
  do await frame()
  while (!isShown() && performance.now() < pressed + 10_000)
  await paint()
  return performance.now() - pressed
}

/** What a person reads on the first screen, apart from days and spaces. */
export function words(): string {
  const places = 'header, .indicator li, summary, .sponsor, .test-note, h1, .lead, label, .hint, .dial-shown, .actions'
  const texts = [...document.querySelectorAll<HTMLElement>(places)].filter(
    (place) => place.checkVisibility() && !place.closest('.trap'),
  )
  const said = texts.map((place) => place.textContent.replace(/[A-Z][a-z]{2} \d{1,2}\b/, '(day)')).join(' | ')
  return said.replaceAll(/\s/g, '')
}
