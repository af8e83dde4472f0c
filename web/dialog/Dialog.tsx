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
import { icon as makeIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { readableMessage } from '#web/readableMessage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { Actions } from './Actions.tsx'
import { inputError } from './input.ts'
import type { Answer, Dismissal, Question } from './question.ts'
import { isAnswered, mayFollow, type State, stateAfter } from './states.ts'
import { useTimer } from './useTimer.ts'

type DialogProps = { question: Question; onAnswer: (answer: Answer, dialog: HTMLDialogElement) => void }

/** One question in a native `<dialog>`. */
export function Dialog({ question, onAnswer }: DialogProps) {
  const { title, text, icon, input, body, timer, signal, theme = 'light', mayDismiss = true, onConfirm } = question
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isReady = useRef(false)
  const latestState = useRef<State>('open')
  const [state, setState] = useState<State>('open')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [inside, setInside] = useState({ pointer: false, focus: false })
  const backdrop = useBackdrop()
  const loading = state === 'loading'

  /** Returns false if the transition is not allowed. */
  const changeState = (next: State) => {
    if (!mayFollow(latestState.current, next)) return false
    latestState.current = next
    setState(next)
    return true
  }

  const finish = (answer: Answer) => {
    if (dialog.current && changeState(stateAfter(answer))) onAnswer(answer, dialog.current)
  }

  const dismiss = (how: Dismissal) => {
    if (mayDismiss) finish({ dismissed: how })
  }

  const confirm = async (value: string) => {
    const answer: Answer = input ? { confirmed: true, value } : { confirmed: true }
    if (!onConfirm) return finish(answer)
    if (!changeState('loading')) return
    setFailure(undefined)
    try {
      await onConfirm(value)
      finish(answer)
    } catch (cause) {
      log(`The action of '${title}' failed.`, cause)
      setFailure(readableMessage(cause) ?? 'Something went wrong. Please try again.')
      changeState('open')
    }
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation() // the page behind handles submit events too
    const value = readForm(event.currentTarget).answer?.trim() ?? ''
    const message = input && inputError(input.type, value)
    setError(message)
    if (message) dialog.current?.querySelector('input')?.focus()
    else confirm(value)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    setInside((before) => ({ ...before, focus: true }))
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault() // otherwise a second Esc closes the dialog without a cancel event
    dismiss('esc')
  }

  // A device's back gesture closes the dialog like Esc; some browsers send no cancel event first.
  const onClose = () => {
    if (isAnswered(latestState.current)) return
    dismiss('esc')
    if (!isAnswered(latestState.current)) dialog.current?.showModal()
  }

  useLayoutEffect(() => {
    dialog.current?.showModal()
    const first = (body && 'h2') || (input && 'input') || '[type=submit]'
    dialog.current?.querySelector<HTMLElement>(first)?.focus({ preventScroll: true })
    isReady.current = true
  }, [body, input])

  // Back leaves the screen that the dialog belongs to.
  const onPopState = useEffectEvent(() => dismiss('close'))
  useLayoutEffect(() => {
    const onPop = () => onPopState()
    addEventListener('popstate', onPop)
    return () => removeEventListener('popstate', onPop)
  }, [])

  const onAbort = useEffectEvent(() => finish({ dismissed: 'close' }))
  useLayoutEffect(() => {
    const onSignal = () => onAbort()
    signal?.addEventListener('abort', onSignal)
    return () => signal?.removeEventListener('abort', onSignal)
  }, [signal])

  const bar = useTimer(timer, inside.pointer || inside.focus || loading, () => finish({ dismissed: 'timer' }))

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
        dismiss('esc')
      }}
      onClose={onClose}
      onPointerDown={backdrop.onPointerDown}
      onClick={(event) => {
        if (backdrop.isClick(event)) dismiss('backdrop')
      }}
    >
      <form
        className="dialog-panel"
        noValidate
        onSubmit={onSubmit}
        onInput={(event) => {
          if (error && input) setError(inputError(input.type, readForm(event.currentTarget).answer?.trim() ?? ''))
        }}
        onPointerEnter={() => setInside((before) => ({ ...before, pointer: true }))}
        onPointerLeave={() => setInside((before) => ({ ...before, pointer: false }))}
        onFocus={() => isReady.current && setInside((before) => ({ ...before, focus: true }))}
        onBlur={(event: FocusEvent) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setInside((before) => ({ ...before, focus: false }))
        }}
      >
        {timer && <div className="dialog-timer" ref={bar} />}
        <div className="dialog-scroll">
          {icon && <DialogIcon icon={icon} />}
          <div className="dialog-head">
            <h2 id={`${id}title`} tabIndex={-1}>
              {title}
            </h2>
            {mayDismiss && <CloseButton loading={loading} onClick={() => dismiss('close')} />}
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
        <Actions question={question} loading={loading} onAnswer={finish} />
      </form>
    </dialog>
  )
}

const iconShapes: Record<NonNullable<Question['icon']>, string> = {
  error: 'M19 24 29 34M29 24 19 34',
  info: 'M24 28v9M24 20.8v.2',
  success: 'M17.5 29.5l4.8 5L31 24.5',
  warning: 'M24 20v10M24 36.3v.2',
}

const DialogIcon = ({ icon }: { icon: NonNullable<Question['icon']> }) => (
  <svg className={`dialog-icon dialog-icon-${icon}`} viewBox="0 0 48 52" aria-hidden="true" focusable="false">
    <path className="dialog-icon-arch" d="M4 52V24a20 20 0 0 1 40 0v28z" />
    <path d={`M2 50.5h44${iconShapes[icon]}`} />
  </svg>
)

const CloseIcon = makeIcon(<path d="M6 6l12 12M18 6 6 18" />)

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

/** A click counts only if the pointer was both pressed and released on the backdrop, so that a drag does not close the dialog. */
function useBackdrop() {
  const startedOutside = useRef(false)
  return {
    onPointerDown: (event: MouseEvent<HTMLElement>) => {
      startedOutside.current = isOutside(event)
    },
    isClick: (event: MouseEvent<HTMLElement>) => startedOutside.current && isOutside(event),
  }
}

/** The backdrop has no element: events on it target the dialog, with coordinates outside its box. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>) {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && !(clientX >= left && clientX <= right && clientY >= top && clientY <= bottom)
}
