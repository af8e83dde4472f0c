import { createRoot } from 'react-dom/client'
import { addStyles } from '#web/style/addStyles.ts'
import css from '../style/dialog.css?inline'
import type { Answer, Question } from './ask.ts'
import { Dialog } from './Dialog.tsx'

addStyles(css)

/** Shows one question, and tells its answer once the dialog is closed and the focus is back. */
export function open(question: Question): Promise<Answer> {
  const before = document.activeElement
  const host = document.body.appendChild(document.createElement('div'))
  const page = holdPage()
  return new Promise((resolve, reject) => {
    const root = createRoot(host, {
      onUncaughtError: (cause) => {
        page.release()
        host.remove()
        reject(cause)
      },
    })
    const finish = async (answer: Answer, dialog: HTMLDialogElement) => {
      dialog.close()
      page.release()
      returnFocus(before)
      resolve(answer)
      await Promise.allSettled(dialog.getAnimations({ subtree: true }).map(({ finished }) => finished))
      root.unmount()
      host.remove()
    }
    root.render(<Dialog question={question} onAnswer={finish} />)
  })
}

/** To where it was; to the heading of what is shown now, if that is gone. */
function returnFocus(before: Element | null) {
  if (!before || before === document.body) return
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  if (document.activeElement !== before) document.querySelector<HTMLElement>('h1:not([hidden] *)')?.focus()
}

/** What lies behind does not scroll meanwhile; where a scroll bar took its room, that stays empty and nothing shifts. */
function holdPage() {
  const { classList, clientWidth } = document.documentElement
  const held = innerWidth > clientWidth ? ['held', 'barred'] : ['held']
  classList.add(...held)
  return { release: () => classList.remove(...held) }
}
