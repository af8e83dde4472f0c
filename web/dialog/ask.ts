import type { ReactNode } from 'react'
import { log } from '#web/log.ts'
import type { InputType } from './input.ts'

/** How a question was left without an answer. */
export type Dismissal = 'close' | 'cancel' | 'backdrop' | 'esc' | 'timer'

/** Exactly one of the three: `if ((await ask(question)).confirmed) …` */
export type Answer =
  | { confirmed: true; value?: string; denied?: never; dismissed?: never }
  | { denied: true; confirmed?: never; value?: never; dismissed?: never }
  | { dismissed: Dismissal; confirmed?: never; value?: never; denied?: never }

/** What is asked. All of it is text and never becomes markup. */
export type Question = {
  title: string
  text?: string
  icon?: 'error' | 'info' | 'success' | 'warning'
  /** The words on the button; 'OK' unless told. */
  confirm?: string
  /** A second answer, 'No' unless it has words of its own. */
  deny?: true | string
  /** A way out beside the close button, 'Cancel' unless it has words of its own. */
  cancel?: true | string
  theme?: 'light' | 'dark'
  /** False: Esc and the backdrop are refused, and there is no close button. */
  mayDismiss?: boolean
  /** Milliseconds until it goes by itself. Stands still under the pointer and while somebody moves in the dialog by keys. */
  timer?: number
  /** Asks for a line of text, which comes back as `value`. */
  input?: { type: InputType; label: string; value?: string }
  /** Something long to read, such as a legal document: it scrolls, and the focus starts on the title. */
  body?: ReactNode
  /** Work between the press and the answer. Nothing dismisses the dialog meanwhile; what it throws is shown, and it stays. */
  onConfirm?: (value: string) => Promise<unknown>
}

let earlier: Promise<unknown> = Promise.resolve()

/** Asks the visitor, after every earlier question has been answered. */
export function ask(question: Question): Promise<Answer> {
  const answer = earlier.then(() => showOrSay(question))
  earlier = answer.catch(() => undefined)
  return answer
}

/** Brings the dialog's code here ahead of its first question, for one that may have to be asked without a network. */
export const fetchDialog = () => import('./open.tsx')

async function showOrSay(question: Question): Promise<Answer> {
  const dialog = await fetchDialog().catch((cause: unknown) => {
    log('The dialog could not be fetched.', cause)
    if (question.body || question.input || question.onConfirm) throw cause
  })
  return dialog ? dialog.open(question) : say(question)
}

/** The browser's own box: plain, but the words arrive. */
function say({ title, text, confirm, deny }: Question): Answer {
  const words = [title, text, confirm].filter(Boolean).join('\n\n')
  if (window.confirm(words)) return { confirmed: true }
  return deny ? { denied: true } : { dismissed: 'cancel' }
}
