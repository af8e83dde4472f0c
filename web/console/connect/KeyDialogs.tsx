import * as z from 'zod/mini'
import { type Scope, scopeNames, scopes } from '#contract/connect/keys.ts'
import { consoleCalls } from '#contract/console/console.ts'
import type { KeyList, KeyView } from '#contract/console/keys.ts'
import { Field, FieldError } from '#web/form/Field.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'

const { name, scopes: chosen, ends_on } = consoleCalls.createApiKey.input.shape

/** The form reads the last box that is ticked, or '0': enough to know that there is one. */
const anyScope = z.pipe(
  z.pipe(
    z.string(),
    z.transform((last) => (last === '0' ? [] : [last])),
  ),
  chosen,
)

type CreateProps = { onClose: () => void; onDone: (name: string, reply: KeyList & { key: string }) => void }

export function CreateKey({ onClose, onDone }: CreateProps) {
  const { api, session } = useConsole()
  const form = useCallForm({
    rules: { name, scopes: anyScope, ends_on },
    send: async ({ name, ends_on }) => {
      const boxes = form.props.ref.current ? new FormData(form.props.ref.current).getAll('scopes') : []
      onDone(name, await api.createApiKey({ name, scopes: boxes as Scope[], ends_on }))
    },
  })
  return (
    <FormDialog
      title="Create an API key"
      text="Give each system its own key, with only the scopes it needs."
      form={form}
      submitLabel="Create the key"
      onClose={onClose}
    >
      <Field
        {...form.field('name')}
        label="Name"
        hint="The system that will use it"
        autoComplete="off"
        enterKeyHint="next"
      />
      <ScopeBoxes error={form.field('scopes').error} />
      <Field
        {...form.field('ends_on')}
        label="Last day"
        hint="If the key is still being used, the to-do list reminds you a week before."
        optional
        type="date"
        min={session.today}
      />
    </FormDialog>
  )
}

const ScopeBoxes = ({ error }: { error: string | undefined }) => (
  <fieldset
    className="scope-boxes"
    id="scopes"
    data-field="scopes"
    tabIndex={-1}
    aria-describedby={error && 'scopes-error'}
    aria-invalid={error ? true : undefined}
  >
    <legend>What this key may do</legend>
    {scopeNames.map((scope) => (
      <label key={scope} className="tick-row">
        <input type="checkbox" name="scopes" value={scope} />
        <span>
          {scopes[scope]} <code>{scope}</code>
        </span>
      </label>
    ))}
    <FieldError name="scopes" error={error} />
  </fieldset>
)

type RevokeProps = { apiKey: KeyView; onClose: () => void; onDone: (list: KeyList) => void }

export function RevokeKey({ apiKey, onClose, onDone }: RevokeProps) {
  const { api } = useConsole()
  const { reason } = consoleCalls.revokeApiKey.input.shape
  const form = useCallForm({
    rules: { reason },
    send: async ({ reason }) => onDone(await api.revokeApiKey({ id: apiKey.id, reason })),
  })
  return (
    <FormDialog
      title={`Revoke ${apiKey.name}?`}
      text="The key stops working immediately. The system that uses it can’t call the API until you give it a new one."
      form={form}
      submitLabel="Revoke"
      onClose={onClose}
    >
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}
