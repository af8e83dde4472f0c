import type { ReactNode } from 'react'
import type { Step } from '#contract/start.ts'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import type { Form } from '#web/form/useForm.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { forwardButton, hasPrevious } from '../flow.ts'
import type { Stop } from './state.ts'
import { useWizard, useWizardState } from './useWizard.ts'

type StepFormProps = {
  /** The step's own name: while it is pre-rendered, the wizard is still at another. */
  step: Step
  form: Pick<Form, 'props' | 'summary' | 'busy'>
  title: string
  lead: ReactNode
  /** Follows 'Confirm and Pay' on the button. */
  amount?: string
  /** Something was chosen here before: one button keeps it, the other doesn't. */
  choice?: { label: string; value: string; other: ReactNode } | undefined
  /** Shown above the buttons. */
  notice?: ReactNode
  children: ReactNode
}

/** What all steps share: the heading that is focused, the error summary, the form and its buttons. */
export function StepForm({ step, form, title, lead, amount, choice, notice, children }: StepFormProps) {
  const wizard = useWizard()
  const stop = useWizardState(wizard, (state) => state.stop)
  const forward = forwardButton[step]
  const previous = hasPrevious(step)
  const isStopped = stop === 'total-not-loaded'
  return (
    <>
      <h1 tabIndex={-1} aria-describedby="progress">
        {title}
      </h1>
      <p className="lead">{lead}</p>
      <ErrorSummary entries={form.summary} />
      <form
        className="step-form"
        method="post"
        {...form.props}
        onInput={() => {
          form.props.onInput()
          wizard.saveForm()
        }}
      >
        <noscript>
          <Notice tone="alert">This form needs JavaScript. Please turn it on and reload the page.</Notice>
        </noscript>
        {children}
        {(previous || forward || stop) && (
          <div className={amount ? 'actions paying' : 'actions'}>
            {stop ? <StopNotice stop={stop} onRetryTotal={wizard.retryTotal} /> : notice}
            {previous && (
              <button
                type="button"
                className="button quiet"
                disabled={isStopped}
                onMouseDown={keepFocus}
                onClick={wizard.back}
              >
                Previous
              </button>
            )}
            {choice?.other}
            {forward && (
              <button
                type="submit"
                className="button"
                value={choice?.value}
                aria-busy={form.busy || undefined}
                disabled={isStopped}
                onMouseDown={keepFocus}
              >
                {choice?.label ?? forward}
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

/** Prevents a blur on mouse down, which could show an error and move the button away from the pointer. */
const keepFocus = (event: { preventDefault: () => void }) => event.preventDefault()

/** When a focused button is removed, the heading gets the focus. */
const focusHeadingOnRemoval = (button: HTMLElement | null) => () => {
  if (document.activeElement === button) button?.closest('.step')?.querySelector('h1')?.focus()
}

const failures = {
  'step-not-loaded': [
    'The next step could not be loaded.',
    'reload the page',
    '. Your answers are saved, except your password.',
  ],
  'total-not-loaded': ['The order could not be loaded.', 'try again', '.'],
}

/** Why the button did nothing, and what to do about it. */
function StopNotice({ stop, onRetryTotal }: { stop: Stop; onRetryTotal: () => unknown }) {
  if (stop === 'offline')
    return (
      <Notice role="alert" title="You’re offline.">
        We’ll go on as soon as you’re back online.
      </Notice>
    )
  const [title, action, end] = failures[stop]
  const isTotal = stop === 'total-not-loaded' // which is announced by its dialog
  return (
    <Notice tone="alert" role={isTotal ? undefined : 'alert'} title={title}>
      Please check your connection and{' '}
      <button
        type="button"
        className="link"
        id={stop}
        ref={focusHeadingOnRemoval}
        onClick={isTotal ? onRetryTotal : () => location.reload()}
      >
        {action}
      </button>
      {end}
    </Notice>
  )
}
