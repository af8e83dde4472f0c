import { described, FieldFrame } from './Field.tsx'

// Password managers each have their own way of being asked to stay away.
const ignored = { 'data-1p-ignore': '', 'data-lpignore': 'true', 'data-bwignore': 'true', 'data-form-type': 'other' }

type Trap = { name: string; defaultValue: string; error: string | undefined }

/** Fields that people never see and machines like to fill. One that was filled shows itself, so that a person can empty it. */
export function Honeypot({ traps }: { traps: Trap[] }) {
  return traps.map(({ name, defaultValue, error }) => {
    const words = { name, label: 'Leave this empty', error }
    return (
      <div key={name} className={error ? undefined : 'trap'} aria-hidden={error ? undefined : true}>
        <FieldFrame {...words}>
          <input
            className="control"
            type="text"
            autoComplete="off"
            tabIndex={error ? undefined : -1}
            defaultValue={defaultValue}
            {...ignored}
            {...described(words)}
          />
        </FieldFrame>
      </div>
    )
  })
}
