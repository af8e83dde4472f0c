import { type InputHTMLAttributes, useEffect, useState } from 'react'
import { passwordRulesFor } from '#contract/fields.ts'
import { figures } from '#contract/figures.ts'
import { CheckIcon, DotIcon } from '#web/icons.tsx'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'
import { useSecretField } from './useSecretField.ts'

type PasswordFieldProps = FieldProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'enterKeyHint'> & {
    autoComplete: 'new-password' | 'current-password'
    /** How many characters a new password needs. */
    length?: number
  }

/** A password with a show/hide button. A new one lists its rules and ticks those that are met. */
export function PasswordField({
  defaultValue,
  enterKeyHint,
  autoComplete,
  length = figures.password_length,
  ...fieldProps
}: PasswordFieldProps) {
  const [isVisible, setVisible] = useState(false)
  const ref = useSecretField(autoComplete)
  const [password, setPassword] = useState(String(defaultValue ?? ''))
  useEffect(() => setPassword(ref.current?.value ?? ''), [ref]) // it may have been typed before hydration
  const rulesId = autoComplete === 'new-password' ? `${fieldProps.name}-rules` : ''
  return (
    <FieldFrame {...fieldProps}>
      <div className="password">
        <input
          ref={ref}
          className="control"
          type={isVisible ? 'text' : 'password'}
          autoComplete={autoComplete}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint={enterKeyHint}
          defaultValue={defaultValue}
          onInput={(event) => setPassword(event.currentTarget.value)}
          {...controlProps(fieldProps, rulesId)}
        />
        <button
          type="button"
          className="reveal"
          aria-label={`${isVisible ? 'Hide' : 'Show'} ${fieldProps.label.toLowerCase()}`}
          onClick={() => setVisible(!isVisible)}
        >
          {isVisible ? 'Hide' : 'Show'}
        </button>
      </div>
      {rulesId && (
        <ul className="rules" id={rulesId}>
          {passwordRulesFor(length).map(({ label, met }) => (
            <li key={label} className={met(password) ? 'met' : undefined}>
              {met(password) ? <CheckIcon /> : <DotIcon />}
              {label}
              {met(password) && <span className="unseen"> (done)</span>}
            </li>
          ))}
        </ul>
      )}
    </FieldFrame>
  )
}
