// Functions that run in the measured page. They are sent as text, so each must be self-contained.

/** What happened while the page loaded; times in milliseconds since the navigation. */
export type LoadTimes = {
  largestPaint: number
  firstPaint: number
  layoutShift: number
  /** Each element that moved, with its old and new position. */
  moved: string[]
  /** When the first field was visible and accepted text that it still has. */
  firstField: number
}

declare global {
  interface Window {
    loadTimes: LoadTimes
    stopTyping: boolean
    /** When the next step was painted. */
    nextStepPainted: Promise<number>
  }
}

/** Records the paints, and types into the first field as soon as it is visible; again if the text is lost. */
export function recordLoad(text: string): void {
  const times: LoadTimes = { largestPaint: 0, firstPaint: 0, layoutShift: 0, moved: [], firstField: 0 }
  window.loadTimes = times
  type ShiftSource = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }
  type Entry = PerformanceEntry & { value?: number; sources?: ShiftSource[] }
  const observe = (type: string, handle: (entry: Entry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(handle)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => {
    times.largestPaint = startTime
  })
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') times.firstPaint = startTime
  })
  const position = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(' ')
  observe('layout-shift', ({ value = 0, sources = [] }) => {
    times.layoutShift += value
    for (const { node, previousRect, currentRect } of sources)
      times.moved.push(`${node?.textContent?.slice(0, 20)}: ${position(previousRect)} → ${position(currentRect)}`)
  })

  const type = () => {
    if (window.stopTyping) return
    requestAnimationFrame(type)
    const field = document.querySelector<HTMLInputElement>('input[name=first_name]')
    if (!field?.getClientRects().length || field.disabled || field.readOnly || field.value === text) return
    field.focus({ preventScroll: true })
    field.select()
    document.execCommand('insertText', false, text)
    if (field.value === text) times.firstField = performance.now()
  }
  requestAnimationFrame(type)
}

export const getLoadTimes = (): LoadTimes => window.loadTimes

/** As soon as the page is parsed and painted, fills the required fields and presses Next once. */
export function pressNextEarly(answers: Record<string, string>): void {
  const visibleField = (name: string) => {
    const field = document.querySelector<HTMLInputElement>(`input[name=${name}]`)
    return field?.checkVisibility({ visibilityProperty: true }) ? field : undefined
  }
  const fillAndPress = () => {
    const fields = Object.keys(answers).map(visibleField)
    const button = document.querySelector<HTMLElement>('form [type=submit]')
    const isPainted = performance.getEntriesByName('first-contentful-paint').length > 0
    if (!isPainted || document.readyState === 'loading' || !button || fields.includes(undefined))
      return requestAnimationFrame(fillAndPress)
    for (const field of fields) {
      field?.focus({ preventScroll: true })
      document.execCommand('insertText', false, answers[field?.name ?? ''])
    }
    button.click()
    requestAnimationFrame(waitForNextStep)
  }
  const { promise, resolve } = Promise.withResolvers<number>()
  window.nextStepPainted = promise
  const waitForNextStep = () => {
    if (!visibleField('email')) return requestAnimationFrame(waitForNextStep)
    const afterPaint = new MessageChannel()
    afterPaint.port1.onmessage = () => resolve(performance.now())
    afterPaint.port2.postMessage(undefined)
  }
  requestAnimationFrame(fillAndPress)
}

/** When the next step was painted; null if that did not happen in time. */
export const getNextStepTime = (timeout: number): Promise<number | null> =>
  Promise.race([window.nextStepPainted, new Promise<null>((resolve) => setTimeout(() => resolve(null), timeout))])

/** On an idle page: fills the fields, presses Next, and returns the milliseconds until the next step is painted. */
export async function timeStepChange(answers: Record<string, string>): Promise<number> {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const nextPaint = () =>
    new Promise<void>((resolve) => {
      const afterPaint = new MessageChannel()
      afterPaint.port1.onmessage = () => resolve()
      afterPaint.port2.postMessage(undefined)
    })
  const isNextStepVisible = () =>
    document.querySelector('input[name=email]')?.checkVisibility({ visibilityProperty: true })
  window.stopTyping = true
  for (const [name, text] of Object.entries(answers)) {
    const field = document.querySelector<HTMLInputElement>(`input[name=${name}]`)
    field?.focus({ preventScroll: true })
    field?.select()
    document.execCommand('insertText', false, text)
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  await nextFrame()
  await nextPaint()
  const start = performance.now()
  document.querySelector<HTMLElement>('form [type=submit]')?.click()
  do await nextFrame()
  while (!isNextStepVisible() && performance.now() < start + 10_000)
  await nextPaint()
  return performance.now() - start
}

/** The visible text of the first screen, without dates and white space. */
export function getVisibleText(): string {
  const selector =
    'header, .indicator li, summary, .order-sponsor, .test-note, h1, .lead, label, .hint, .dial-shown, .actions'
  const elements = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (element) => element.checkVisibility() && !element.closest('.trap'),
  )
  const texts = elements.map((element) => element.textContent.replace(/[A-Z][a-z]{2} \d{1,2}\b/, '(day)'))
  return texts.join(' | ').replaceAll(/\s/g, '')
}
