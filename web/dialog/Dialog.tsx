import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Field } from '#web/form/Field.tsx'
import { readForm } from '#web/form/readForm.ts'
import { icon as makeIcon } from '#web/icons.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { Actions } from './Actions.tsx'
import { inputError } from './input.ts'
import type { Answer, Question } from './question.ts'
import { useAnswer } from './useAnswer.ts'
import { useTimer } from './useTimer.ts'

type DialogProps = { question: Question; onAnswer: (answer: Answer, dialog: HTMLDialogElement) => void }

/** One question in a native `<dialog>`. */
export function Dialog({ question, onAnswer }: DialogProps) {
  const { text, icon, input, body, timer, theme, startsOnCancel } = question
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isReady = useRef(false)
  const [error, setError] = useState<string>()
  const inside = useInside()
  const backdrop = useBackdrop()
  const { state, failure, finish, dismiss, confirm, isOver } = useAnswer(question, (answer) => {
    if (dialog.current) onAnswer(answer, dialog.current)
  })
  const loading = state === 'loading'

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
    inside.note({ focus: true })
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault() // otherwise a second Esc closes the dialog without a cancel event
    dismiss('esc')
  }

  // A device's back gesture closes the dialog like Esc; some browsers send no cancel event first.
  const onClose = () => {
    if (isOver()) return
    dismiss('esc')
    if (!isOver()) dialog.current?.showModal()
  }

  useLayoutEffect(() => {
    dialog.current?.showModal()
    const first = (body && 'h2') || (input && 'input') || (startsOnCancel && '.quiet') || '[type=submit]'
    dialog.current?.querySelector<HTMLElement>(first)?.focus({ preventScroll: true })
    isReady.current = true
  }, [body, input, startsOnCancel])

  const bar = useTimer(timer, inside.isInside || loading, () => finish({ dismissed: 'timer' }))

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
        onPointerEnter={() => inside.note({ pointer: true })}
        onPointerLeave={() => inside.note({ pointer: false })}
        onFocus={() => isReady.current && inside.note({ focus: true })}
        onBlur={(event: FocusEvent) => {
          if (!event.currentTarget.contains(event.relatedTarget)) inside.note({ focus: false })
        }}
      >
        {timer && <div className="dialog-timer" ref={bar} />}
        <Content
          question={question}
          id={id}
          loading={loading}
          error={error}
          failure={failure}
          onClose={() => dismiss('close')}
        />
        <Actions question={question} loading={loading} onAnswer={finish} />
      </form>
    </dialog>
  )
}

type ContentProps = {
  question: Question
  id: string
  loading: boolean
  error: string | undefined
  failure: string | undefined
  onClose: () => void
}

/** Everything above the buttons. It scrolls if it is long. */
function Content({ question, id, loading, error, failure, onClose }: ContentProps) {
  const { title, text, icon, input, body, mayDismiss = true } = question
  return (
    <div className="dialog-scroll">
      {icon && <DialogIcon icon={icon} />}
      <div className="dialog-head">
        <h2 id={`${id}title`} tabIndex={-1}>
          {title}
        </h2>
        {mayDismiss && <CloseButton loading={loading} onClick={onClose} />}
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

/** Whether the pointer or the focus is inside, which pauses the timer. */
function useInside() {
  const [inside, setInside] = useState({ pointer: false, focus: false })
  return {
    isInside: inside.pointer || inside.focus,
    note: (change: Partial<typeof inside>) => setInside((before) => ({ ...before, ...change })),
  }
}

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
