import { DotIcon } from '#web/icons.tsx'
import type { Answer, Question } from './question.ts'

type ActionsProps = { question: Question; loading: boolean; onAnswer: (answer: Answer) => void }

/** The buttons. Confirm comes last, as on the page, because it is easiest to reach with the thumb. */
export function Actions({ question, loading, onAnswer }: ActionsProps) {
  const { confirm = 'OK', deny, cancel, isDestructive } = question
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
      <button type="submit" className={isDestructive ? 'button danger' : 'button'} aria-busy={loading || undefined}>
        <span>{confirm}</span>
        {loading && <DotIcon />}
      </button>
      <p className="unseen" role="status">
        {loading && 'One moment, please.'}
      </p>
    </div>
  )
}
