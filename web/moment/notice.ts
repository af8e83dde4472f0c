import { addStyles } from '#web/style/addStyles.ts'
import css from './notice.css?inline'

export const ONE_MOMENT = 'One moment, please'

/** Says that calls are waiting, in one element for all of them. It covers the page, so that nothing moves. */
function createNotice() {
  const waits = new Set<object>()
  const listeners = new Set<() => void>()
  let box: HTMLElement | undefined

  const createBox = () => {
    addStyles(css)
    box = document.createElement('div')
    box.className = 'offline one-moment'
    box.setAttribute('role', 'status')
    return box
  }

  /** In an open dialog, since nobody can see or hear what is outside it. */
  const place = () => {
    const status = box ?? createBox()
    const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
    if (status.parentElement !== host) host.append(status)
    return status
  }

  const isSaidByPage = () => document.querySelector('main')?.textContent.includes(ONE_MOMENT) === true

  const update = () => {
    const status = place()
    const isNeeded = waits.size > 0 && !isSaidByPage()
    if (isNeeded === status.hasChildNodes()) return
    status.replaceChildren(
      ...(isNeeded ? [Object.assign(document.createElement('p'), { textContent: ONE_MOMENT })] : []),
    )
  }

  const change = (work: () => unknown) => {
    work()
    update()
    for (const listener of listeners) listener()
  }

  return {
    /** A call waits, and says so if it still does after this time. Returns how to end that. */
    begin(afterMs: number) {
      const wait = {}
      place() // still empty, so that screen readers hear its text
      const timer = setTimeout(() => change(() => waits.add(wait)), afterMs)
      return () => {
        clearTimeout(timer)
        change(() => waits.delete(wait))
      }
    },
    isShown: () => waits.size > 0,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export const notice = createNotice()
