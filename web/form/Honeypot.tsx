import { Field } from './Field.tsx'

// Password managers each have their own way of being asked to stay away.
const ignored = { 'data-1p-ignore': '', 'data-lpignore': 'true', 'data-bwignore': 'true', 'data-form-type': 'other' }

type Trap = { name: string; defaultValue: string; error: string | undefined }

/** Fields that people never see and machines like to fill. One that was filled shows itself, so that a person can empty it. */
export function Honeypot({ traps }: { traps: Trap[] }) {
  return traps.map((trap) => (
    <div key={trap.name} className={trap.error ? undefined : 'trap'} aria-hidden={trap.error ? undefined : true}>
      <Field
        {...trap}
        label="Leave this empty"
        autoComplete="off"
        tabIndex={trap.error ? undefined : -1}
        {...ignored}
      />
    </div>
  ))
}
