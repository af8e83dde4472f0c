/** Label, hint and message around a control. */
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

/** How a control is tied to its words. */
export const described = ({ name, hint, error }) => ({
  id: name,
  name,
  'aria-describedby': [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
})

/** A line of text. */
export const TextField = ({ name, label, hint, error, optional, type = 'text', ...input }) => (
  <Field name={name} label={label} hint={hint} error={error} optional={optional}>
    <input className="control" type={type} {...input} {...described({ name, hint, error })} />
  </Field>
)
