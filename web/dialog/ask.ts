import { log } from '#web/log.ts'
import type { Answer, Question } from './question.ts'

let previousAnswer: Promise<unknown> = Promise.resolve()

/** Shows a dialog, after every earlier one has been answered. */
export function ask(question: Question): Promise<Answer> {
  const answer = previousAnswer.then(() => show(question))
  previousAnswer = answer.catch(() => undefined)
  return answer
}

/** Loads the dialog's code ahead of time, for a question that may come up while the network is down. */
export const fetchDialog = () => import('./openDialog.tsx')

async function show(question: Question): Promise<Answer> {
  const dialog = await fetchDialog().catch((cause: unknown) => {
    log('The dialog could not be loaded.', cause)
    if (question.body || question.input || question.onConfirm) throw cause
  })
  return dialog ? dialog.openDialog(question) : askNatively(question)
}

/** Falls back to the browser's own confirm box. */
function askNatively({ title, text, confirm, deny }: Question): Answer {
  const message = [title, text, confirm].filter(Boolean).join('\n\n')
  if (window.confirm(message)) return { confirmed: true }
  return deny ? { denied: true } : { dismissed: 'cancel' }
}
