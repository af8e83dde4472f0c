import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { AlertIcon } from '#web/icons.tsx'
import { FieldError, focusField } from './Field.tsx'

/** Props of our captcha and of the vendors'. */
export type CaptchaProps = {
  name: string
  error: string | undefined
  /** Increases each time a solution was used, so that a new one is needed. */
  usedCount: number
  onSolved?: (solution: string) => void
}

/** The solution in a hidden field. A change fires an input event, as in any other field. */
export function useSolution(onSolved: CaptchaProps['onSolved'], initialSolution = '') {
  const input = useRef<HTMLInputElement>(null)
  const [solution, setSolution] = useState(initialSolution)
  const saveSolution = (next: string) => {
    flushSync(() => setSolution(next))
    input.current?.dispatchEvent(new Event('input', { bubbles: true }))
    if (next) onSolved?.(next)
  }
  return { input, solution, saveSolution }
}

type FrameProps = Pick<CaptchaProps, 'name' | 'error'> & {
  input: RefObject<HTMLInputElement | null>
  solution: string
  failed: boolean
  onRetry: () => void
  children: ReactNode
}

/** Around our captcha and the vendors': the hidden field, its error, and a retry button. */
export const CaptchaFrame = ({ name, error, input, solution, failed, onRetry, children }: FrameProps) => (
  <div className="field captcha" data-field={name}>
    <input type="hidden" name={name} ref={input} value={solution} />
    {children}
    {failed && (
      <p className="error" role="alert">
        <AlertIcon />
        <span>
          The check failed. Please check your connection and{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              focusField(name) // this button is about to disappear
              onRetry()
            }}
          >
            try again
          </button>
          .
        </span>
      </p>
    )}
    {!failed && <FieldError name={name} error={error} />}
  </div>
)
