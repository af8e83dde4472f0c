import type { ReactNode } from 'react'
import type { Step } from '#contract/start.ts'
import { forwardButton, hasPrevious } from '#web/enroll/flow.ts'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import type { Form } from '#web/form/useForm.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { Notice } from '#web/Notice.tsx'
import type { Wizard } from './wizard.ts'

type StepFormProps = {
  wizard: Wizard
  /** Its own name: it may stand ready while the wizard is still at another. */
  step: Step
  form: Pick<Form, 'props' | 'summary' | 'busy'>
  title: string
  lead: ReactNode
  /** More for the forward button: 'Confirm and Pay' is followed by the amount. */
  amount?: string
  children: ReactNode
}

/** What all steps share: the heading that gets the focus, the summary of errors, the form, and the buttons of the flow. */
export function StepForm({ wizard, step, form, title, lead, amount, children }: StepFormProps) {
  const forward = forwardButton[step]
  const previous = hasPrevious(step)
  return (
    <>
      <h1 id="heading" tabIndex={-1} aria-describedby="progress">
        {title}
      </h1>
      <p className="lead">{lead}</p>
      <ErrorSummary entries={form.summary} />
      <form
        id="step"
        method="post"
        {...form.props}
        onInput={() => {
          form.props.onInput()
          wizard.remember()
        }}
      >
        <noscript>
          <Notice tone="alert">
            This form needs JavaScript to go on. Please switch it on and load the page again.
          </Notice>
        </noscript>
        {children}
        <Stopped wizard={wizard} />
        {(previous || forward) && (
          <div className="actions">
            {previous && (
              <button type="button" className="button quiet" onMouseDown={keepFocus} onClick={() => wizard.back()}>
                Previous
              </button>
            )}
            {forward && (
              <button
                type="submit"
                className="button"
                aria-busy={form.busy || undefined}
                disabled={wizard.stop === 'unsummed'}
                onMouseDown={keepFocus}
              >
                {forward}
                {amount && ` ${amount}`}
                <ArrowIcon />
              </button>
            )}
          </div>
        )}
      </form>
    </>
  )
}

/** A press on a button must not make the field lose its focus first: a message would appear and the button slip away. */
const keepFocus = (event: { preventDefault: () => void }) => event.preventDefault()

/** When the button goes that was pressed, the focus goes to the heading. */
const handOver = (button: HTMLElement | null) => () => {
  if (document.activeElement === button) button?.closest('.stage')?.querySelector('h1')?.focus()
}

/** Why nothing happened after a press, and what to do about it. */
function Stopped({ wizard }: { wizard: Wizard }) {
  switch (wizard.stop) {
    case 'unfetched':
      return (
        <Notice tone="alert" role="alert" title="The next step could not be loaded.">
          Please check your connection and{' '}
          <button type="button" className="link" onClick={() => location.reload()}>
            load the page again
          </button>
          . What you entered is kept, but no password.
        </Notice>
      )
    case 'unsummed':
      return (
        <Notice tone="alert" title="The price could not be loaded.">
          Please check your connection and{' '}
          <button type="button" className="link" id="again" ref={handOver} onClick={wizard.sumAgain}>
            try again
          </button>
          .
        </Notice>
      )
    default:
      return null
  }
}
