import { type ReactNode, type SyntheticEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { readForm } from '#web/form/readForm.ts'
import { CallForm, useCallForm } from './CallForm.tsx'

type FormDialogProps = {
  title: string
  text?: ReactNode
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'busy' | 'failure'>
  submitLabel: string
  onClose: () => void
  children?: ReactNode
}

/** A question with a form. Esc and Cancel close it, after a question if it was changed; while a call runs, nothing does. */
export function FormDialog({ title, text, form, submitLabel, onClose, children }: FormDialogProps) {
  const [isLeaving, setLeaving] = useState(false)
  const opened = useRef('')
  const read = () => JSON.stringify(form.props.ref.current && readForm(form.props.ref.current))
  const remember = useEffectEvent(() => {
    opened.current = read()
  })
  useEffect(() => remember(), [])
  const close = () => (read() === opened.current ? onClose() : setLeaving(true))
  return (
    <>
      <Dialog title={title} text={text} isBusy={form.busy} onClose={close}>
        <CallForm
          form={form}
          submitLabel={submitLabel}
          secondaryAction={
            <button type="button" className="button quiet" onClick={close} disabled={form.busy}>
              Cancel
            </button>
          }
        >
          {children}
        </CallForm>
      </Dialog>
      {isLeaving && <LeaveQuestion onLeave={onClose} onStay={() => setLeaving(false)} />}
    </>
  )
}

type LeaveQuestionProps = { text?: string; onLeave: () => void; onStay: () => void }

/** Before something that was typed disappears. */
export const LeaveQuestion = ({ text = 'What you typed will be lost.', onLeave, onStay }: LeaveQuestionProps) => (
  <Dialog title="Leave without saving?" text={text} onClose={onStay}>
    <div className="form-actions">
      <button type="button" className="button" onClick={onLeave}>
        Leave
      </button>
      <button type="button" className="button quiet" onClick={onStay}>
        Stay
      </button>
    </div>
  </Dialog>
)

type ConfirmDialogProps = Pick<FormDialogProps, 'title' | 'text' | 'submitLabel' | 'onClose'> & {
  send: () => Promise<unknown>
}

/** A question without fields. */
export function ConfirmDialog({ send, ...props }: ConfirmDialogProps) {
  const form = useCallForm({
    rules: {},
    send: async () => {
      await send()
    },
  })
  return <FormDialog form={form} {...props} />
}

type DialogProps = {
  title: string
  text?: ReactNode
  isBusy?: boolean
  /** The page behind it can't be read. */
  isCovering?: boolean
  onClose: () => void
  children: ReactNode
}

/** The button that opened the dialog is gone, because its action is no longer possible. */
function focusHeading(heading: HTMLElement | null) {
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

export function Dialog({ title, text, isBusy = false, isCovering, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    const section = opener?.closest('section')
    if (!dialog?.open) dialog?.showModal()
    return () => {
      dialog?.close()
      if (opener?.isConnected) return (opener as HTMLElement).focus()
      const heading = section?.isConnected ? section.querySelector('h2') : document.querySelector('main h1')
      focusHeading(heading as HTMLElement | null)
    }
  }, [])
  const closeUnlessBusy = (event: SyntheticEvent) => {
    event.preventDefault() // of a key, too: otherwise a second Esc closes the dialog without a cancel event
    event.stopPropagation()
    if (!isBusy) onClose()
  }
  return (
    <dialog
      ref={ref}
      className="form-dialog"
      data-covering={isCovering}
      aria-labelledby={id}
      onKeyDown={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && closeUnlessBusy(event)}
      onCancel={closeUnlessBusy}
    >
      <h2 id={id}>{title}</h2>
      {text && <div className="dialog-text">{text}</div>}
      {children}
    </dialog>
  )
}
