import { type InputHTMLAttributes, useEffect, useState } from 'react'
import { passwordRules } from '#contract/fields.ts'
import { CheckIcon, DotIcon } from '#web/icons.tsx'
import { described, FieldFrame, type FieldProps } from './Field.tsx'
import { useSecretField } from './useSecretField.ts'

type PasswordProps = FieldProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'enterKeyHint'> & {
    autoComplete: 'new-password' | 'current-password'
  }

/** A password that can be looked at; a new one with its rules, ticked as they are met. */
export function PasswordField({ defaultValue, enterKeyHint, autoComplete, ...words }: PasswordProps) {
  const [shown, setShown] = useState(false)
  const field = useSecretField(autoComplete)
  const [typed, setTyped] = useState(String(defaultValue ?? ''))
  useEffect(() => setTyped(field.current?.value ?? ''), [field]) // it may have been typed before the script was here
  const rulesId = autoComplete === 'new-password' ? `${words.name}-rules` : ''
  return (
    <FieldFrame {...words}>
      <div className="password">
        <input
          ref={field}
          className="control"
          type={shown ? 'text' : 'password'}
          autoComplete={autoComplete}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint={enterKeyHint}
          defaultValue={defaultValue}
          onInput={(event) => setTyped(event.currentTarget.value)}
          {...described(words, rulesId)}
        />
        <button
          type="button"
          className="reveal"
          aria-label={`${shown ? 'Hide' : 'Show'} ${words.label.toLowerCase()}`}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
        </button>
      </div>
      {rulesId && (
        <ul className="rules" id={rulesId}>
          {passwordRules.map(({ label, met }) => (
            <li key={label} className={met(typed) ? 'met' : undefined}>
              {met(typed) ? <CheckIcon /> : <DotIcon />}
              {label}
              {met(typed) && <span className="unseen"> (done)</span>}
            </li>
          ))}
        </ul>
      )}
    </FieldFrame>
  )
}
