import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { AlertIcon } from '#web/icons.tsx'
import { FieldError } from './Field.tsx'
import { focusField } from './focusField.ts'

/** What every captcha is told, whoever asks it. */
export type CaptchaProps = {
  name: string
  error: string | undefined
  /** Goes up when the solution has been used, and another one is needed. */
  used: number
  /** Hears of a solution as soon as there is one. */
  onSolved?: (solution: string) => void
}

/** The solution, in a hidden field; the form hears of a changed one as of any other answer. */
export function useSolution(onSolved: CaptchaProps['onSolved'], atFirst = '') {
  const input = useRef<HTMLInputElement>(null)
  const [solution, setSolution] = useState(atFirst)
  const found = (next: string) => {
    flushSync(() => setSolution(next))
    input.current?.dispatchEvent(new Event('input', { bubbles: true }))
    if (next) onSolved?.(next)
  }
  return { input, solution, found }
}

type FrameProps = Pick<CaptchaProps, 'name' | 'error'> & {
  input: RefObject<HTMLInputElement | null>
  solution: string
  failed: boolean
  again: () => void
  children: ReactNode
}

/** Around our own box and a vendor's: the field, what is wrong with it, and what to do when nothing came. */
export const CaptchaFrame = ({ name, error, input, solution, failed, again, children }: FrameProps) => (
  <div className="field captcha" data-field={name}>
    <input type="hidden" name={name} ref={input} value={solution} />
    {children}
    {failed && (
      <p className="error" role="alert">
        <AlertIcon />
        <span>
          The check did not work. Please look at your connection and{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              focusField(name) // this button goes
              again()
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
