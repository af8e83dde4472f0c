import { createRoot } from 'react-dom/client'
import { addStyles } from '#web/style/addStyles.ts'
import { Dialog } from './Dialog.tsx'
import css from './dialog.css?inline'
import type { Answer, Question } from './question.ts'

addStyles(css)

/** Shows one question. Resolves once the dialog is closed and the focus is back on the page. */
export async function openDialog(question: Question): Promise<Answer> {
  if (question.signal?.aborted) return { dismissed: 'close' }
  const focusedBefore = document.activeElement
  const host = document.body.appendChild(document.createElement('div'))
  const unlockScroll = lockScroll()
  return new Promise((resolve, reject) => {
    const root = createRoot(host, {
      onUncaughtError: (cause) => {
        unlockScroll()
        host.remove()
        reject(cause)
      },
    })
    const finish = async (answer: Answer, dialog: HTMLDialogElement) => {
      dialog.close()
      unlockScroll()
      returnFocus(focusedBefore)
      resolve(answer)
      await Promise.allSettled(dialog.getAnimations({ subtree: true }).map(({ finished }) => finished))
      root.unmount()
      host.remove()
    }
    root.render(<Dialog question={question} onAnswer={finish} />)
  })
}

/** Back to the element that had it, or to the page's heading if that element is gone. */
function returnFocus(element: Element | null) {
  if (!element || element === document.body) return
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
  if (document.activeElement !== element) document.querySelector<HTMLElement>('h1:not([hidden] *)')?.focus()
}

/** Stops the page behind from scrolling. If it has a scroll bar, its space is kept, so that the page does not shift. */
function lockScroll() {
  const { classList, clientWidth } = document.documentElement
  const classes = innerWidth > clientWidth ? ['scroll-locked', 'has-scrollbar'] : ['scroll-locked']
  classList.add(...classes)
  return () => classList.remove(...classes)
}
