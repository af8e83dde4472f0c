import { Field } from './Field.tsx'

// Each password manager has its own attribute to keep it away.
const ignoredByManagers = {
  'data-1p-ignore': '',
  'data-lpignore': 'true',
  'data-bwignore': 'true',
  'data-form-type': 'other',
}

type Trap = { name: string; defaultValue: string; error: string | undefined }

/** Hidden fields that only bots fill in. A filled one becomes visible, so that a person can clear it. */
export function Honeypot({ traps }: { traps: Trap[] }) {
  return traps.map((trap) => (
    <div key={trap.name} className={trap.error ? undefined : 'trap'} aria-hidden={trap.error ? undefined : true}>
      <Field
        {...trap}
        label="Leave this empty"
        autoComplete="off"
        tabIndex={trap.error ? undefined : -1}
        {...ignoredByManagers}
      />
    </div>
  ))
}
