import { type ReactNode, useEffect, useId, useRef } from 'react'
import { CallForm, useCallForm } from './CallForm.tsx'

type FormDialogProps = {
  title: string
  text?: ReactNode
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'busy' | 'failure'>
  submitLabel: string
  onClose: () => void
  children?: ReactNode
}

/** A question with a form. Esc and Cancel close it; while a call runs, nothing does. */
export function FormDialog({ title, text, form, submitLabel, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} text={text} isBusy={form.busy} onClose={onClose}>
      <CallForm
        form={form}
        submitLabel={submitLabel}
        secondaryAction={
          <button type="button" className="button quiet" onClick={onClose} disabled={form.busy}>
            Cancel
          </button>
        }
      >
        {children}
      </CallForm>
    </Dialog>
  )
}

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

export function Dialog({ title, text, isBusy = false, isCovering, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    if (!dialog?.open) dialog?.showModal()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className="form-dialog"
      data-covering={isCovering}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!isBusy) onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {text && <div className="dialog-text">{text}</div>}
      {children}
    </dialog>
  )
}
