import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Field } from '#web/form/Field.tsx'
import { readForm } from '#web/form/readForm.ts'
import { icon as draw } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { Notice } from '#web/Notice.tsx'
import { readableMessage } from '#web/readableMessage.ts'
import { Actions } from './Actions.tsx'
import type { Answer, Dismissal, Question } from './ask.ts'
import { findError } from './input.ts'
import { KindIcon } from './KindIcon.tsx'
import { isOver, mayFollow, type State, stateOf } from './states.ts'
import { useTimer } from './useTimer.ts'

type DialogProps = { question: Question; onAnswer: (answer: Answer, dialog: HTMLDialogElement) => void }

/** One question, on the platform's own dialog. */
export function Dialog({ question, onAnswer }: DialogProps) {
  const { title, text, icon, input, body, timer, theme = 'light', mayDismiss = true, onConfirm } = question
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const opened = useRef(false)
  const now = useRef<State>('open')
  const [state, setState] = useState<State>('open')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [held, setHeld] = useState({ pointer: false, focus: false })
  const backdrop = useBackdrop()
  const loading = state === 'loading'

  /** False when this state may not follow the present one. */
  const enter = (next: State) => {
    if (!mayFollow(now.current, next)) return false
    now.current = next
    setState(next)
    return true
  }

  const end = (answer: Answer) => {
    if (dialog.current && enter(stateOf(answer))) onAnswer(answer, dialog.current)
  }

  const leave = (how: Dismissal) => {
    if (mayDismiss) end({ dismissed: how })
  }

  const confirm = async (value: string) => {
    const answer: Answer = input ? { confirmed: true, value } : { confirmed: true }
    if (!onConfirm) return end(answer)
    if (!enter('loading')) return
    setFailure(undefined)
    try {
      await onConfirm(value)
      end(answer)
    } catch (cause) {
      log(`'${title}' was confirmed, and then it failed.`, cause)
      setFailure(readableMessage(cause) ?? 'That did not work. Please try again.')
      enter('open')
    }
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation() // the page behind listens for its own forms
    const value = readForm(event.currentTarget).answer?.trim() ?? ''
    const wrong = input && findError(input.type, value)
    setError(wrong)
    if (wrong) dialog.current?.querySelector('input')?.focus()
    else confirm(value)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    setHeld((was) => ({ ...was, focus: true }))
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault() // or a second Esc would close it without asking
    leave('esc')
  }

  // A gesture or button of the device closes it like Esc, and not every browser asks first.
  const onClose = () => {
    if (isOver(now.current)) return
    leave('esc')
    if (!isOver(now.current)) dialog.current?.showModal()
  }

  useLayoutEffect(() => {
    dialog.current?.showModal()
    const first = (body && 'h2') || (input && 'input') || '[type=submit]'
    dialog.current?.querySelector<HTMLElement>(first)?.focus({ preventScroll: true })
    opened.current = true
  }, [body, input])

  // What was asked belongs to the screen that Back leaves.
  const onPopState = useEffectEvent(() => leave('close'))
  useLayoutEffect(() => {
    const popped = () => onPopState()
    addEventListener('popstate', popped)
    return () => removeEventListener('popstate', popped)
  }, [])

  const bar = useTimer(timer, held.pointer || held.focus || loading, () => end({ dismissed: 'timer' }))

  return (
    <dialog
      ref={dialog}
      className={body ? 'dialog long' : 'dialog'}
      role={icon === 'error' ? 'alertdialog' : undefined}
      aria-labelledby={`${id}title`}
      aria-describedby={text ? `${id}text` : undefined}
      aria-busy={loading || undefined}
      data-theme={theme}
      data-state={state}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault()
        leave('esc')
      }}
      onClose={onClose}
      onPointerDown={backdrop.press}
      onClick={(event) => {
        if (backdrop.isClick(event)) leave('backdrop')
      }}
    >
      <form
        className="dialog-panel"
        noValidate
        onSubmit={onSubmit}
        onInput={(event) => {
          if (error && input) setError(findError(input.type, readForm(event.currentTarget).answer?.trim() ?? ''))
        }}
        onPointerEnter={() => setHeld((was) => ({ ...was, pointer: true }))}
        onPointerLeave={() => setHeld((was) => ({ ...was, pointer: false }))}
        onFocus={() => opened.current && setHeld((was) => ({ ...was, focus: true }))}
        onBlur={(event: FocusEvent) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setHeld((was) => ({ ...was, focus: false }))
        }}
      >
        {timer && <div className="dialog-timer" ref={bar} />}
        <div className="dialog-scroll">
          {icon && <KindIcon kind={icon} />}
          <div className="dialog-head">
            <h2 id={`${id}title`} tabIndex={-1}>
              {title}
            </h2>
            {mayDismiss && <CloseButton loading={loading} onClick={() => leave('close')} />}
          </div>
          {text && (
            <p className="dialog-text" id={`${id}text`}>
              {text}
            </p>
          )}
          {body}
          {input && (
            <Field
              name="answer"
              type={input.type}
              label={input.label}
              error={error}
              defaultValue={input.value}
              readOnly={loading}
              enterKeyHint="done"
            />
          )}
          {failure && (
            <Notice tone="alert" role="alert">
              {failure}
            </Notice>
          )}
        </div>
        <Actions question={question} loading={loading} onAnswer={end} />
      </form>
    </dialog>
  )
}

const CloseIcon = draw(<path d="M6 6l12 12M18 6 6 18" />)

const CloseButton = ({ loading, onClick }: { loading: boolean; onClick: () => void }) => (
  <button
    type="button"
    className="dialog-close"
    aria-label="Close this dialog"
    aria-disabled={loading || undefined}
    onClick={onClick}
  >
    <CloseIcon />
  </button>
)

/** A click beside the dialog counts only when it was pressed and released there; a slip of the hand does not. */
function useBackdrop() {
  const pressed = useRef(false)
  return {
    press: (event: MouseEvent<HTMLElement>) => {
      pressed.current = isBeside(event)
    },
    isClick: (event: MouseEvent<HTMLElement>) => pressed.current && isBeside(event),
  }
}

/** The backdrop has no element of its own: it is the dialog, outside of its box. */
function isBeside({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>) {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && !(clientX >= left && clientX <= right && clientY >= top && clientY <= bottom)
}
