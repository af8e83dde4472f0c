import { DotIcon } from '#web/icons.tsx'
import type { Answer, Question } from './ask.ts'

type ActionsProps = { question: Question; loading: boolean; onAnswer: (answer: Answer) => void }

/** The answers as buttons, the expected one last: nearest to the thumb, and where the page has its own. */
export function Actions({ question, loading, onAnswer }: ActionsProps) {
  const { confirm = 'OK', deny, cancel } = question
  const quiet = { type: 'button', className: 'button quiet', 'aria-disabled': loading || undefined } as const
  return (
    <div className="dialog-actions">
      {cancel && (
        <button {...quiet} onClick={() => onAnswer({ dismissed: 'cancel' })}>
          {cancel === true ? 'Cancel' : cancel}
        </button>
      )}
      {deny && (
        <button {...quiet} onClick={() => onAnswer({ denied: true })}>
          {deny === true ? 'No' : deny}
        </button>
      )}
      <button type="submit" className="button" aria-busy={loading || undefined}>
        <span>{confirm}</span>
        {loading && <DotIcon />}
      </button>
      <p className="unseen" role="status">
        {loading && 'One moment, please.'}
      </p>
    </div>
  )
}
