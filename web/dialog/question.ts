import type { ReactNode } from 'react'
import type { InputType } from './input.ts'

/** How a dialog was closed without an answer. */
export type Dismissal = 'close' | 'cancel' | 'backdrop' | 'esc' | 'timer'

/** Exactly one of the three: `if ((await ask(question)).confirmed) …` */
export type Answer =
  | { confirmed: true; value?: string; denied?: never; dismissed?: never }
  | { denied: true; confirmed?: never; value?: never; dismissed?: never }
  | { dismissed: Dismissal; confirmed?: never; value?: never; denied?: never }

/** The content of a dialog. Strings are shown as text, never as markup. */
export type Question = {
  title: string
  text?: string
  icon?: 'error' | 'info' | 'success' | 'warning'
  /** Label of the confirm button; 'OK' by default. */
  confirm?: string
  /** The confirm button removes something, so it doesn't have the primary color. */
  isDestructive?: boolean
  /** Adds a deny button; `true` labels it 'No'. */
  deny?: true | string
  /** Adds a cancel button; `true` labels it 'Cancel'. */
  cancel?: true | string
  /** The focus starts on Cancel, so that an impatient second Enter doesn't confirm. */
  startsOnCancel?: true
  /** Like the page by default: light unless the visitor prefers dark. */
  theme?: 'light' | 'dark'
  /** False: Esc and the backdrop do nothing, and there is no close button. */
  mayDismiss?: boolean
  /** Milliseconds until the dialog closes by itself. Paused while the pointer or the keyboard focus is in it. */
  timer?: number
  /** Closes the dialog when the page has a reason to: the visitor has gone on without it. */
  signal?: AbortSignal
  /** Adds a text field; its content is the answer's `value`. */
  input?: { type: InputType; label: string; value?: string }
  /** A long text such as a legal document: it scrolls, and the focus starts on the title. */
  body?: ReactNode
  /** Runs before the dialog closes. Meanwhile it cannot be dismissed; if this throws, the error is shown and it stays open. */
  onConfirm?: (value: string) => Promise<unknown>
}
