import { Field } from '#web/form/Field.tsx'

type CodeFieldProps = { name: string; error?: string | undefined; label?: string; hint?: string }

/** For a code from an authenticator app, or a recovery code. */
export const CodeField = ({
  label = 'Code',
  hint = 'Six digits from your app, or a recovery code',
  ...field
}: CodeFieldProps) => (
  <Field
    {...field}
    label={label}
    hint={hint}
    inputMode="text"
    autoComplete="one-time-code"
    autoCapitalize="none"
    enterKeyHint="go"
  />
)
