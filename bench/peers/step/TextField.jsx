/** A label, hint and error message around a control. */
export const Field = ({ name, label, hint, error, optional, children }) => (
  <div className="field">
    <label htmlFor={name}>
      {label}
      {optional && <span className="optional"> (optional)</span>}
    </label>
    {hint && (
      <p className="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    {children}
    {error && (
      <p className="error" id={`${name}-error`}>
        {error}
      </p>
    )}
  </div>
)

/** Links a control to its label, hint and error message. */
export const described = ({ name, hint, error }) => ({
  id: name,
  name,
  'aria-describedby': [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
})

/** A single-line text field. */
export const TextField = ({ name, label, hint, error, optional, type = 'text', ...input }) => (
  <Field name={name} label={label} hint={hint} error={error} optional={optional}>
    <input className="control" type={type} {...input} {...described({ name, hint, error })} />
  </Field>
)
