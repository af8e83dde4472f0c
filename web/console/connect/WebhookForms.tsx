import { useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import type { WebhookPage } from '#contract/console/webhooks.ts'
import { allEventTypes, eventTypes } from '#contract/events.ts'
import { Field, FieldError } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { CopyDialog } from '../CopyDialog.tsx'
import { useEditForm } from '../editing/useEditForm.tsx'

/** What staff do with a webhook, as dialogs. */

type DialogProps<Reply> = { onClose: () => void; onDone: (reply: Reply) => void }
type WithKey = { page: WebhookPage; key: string }

const schemes = [
  { value: 'hmac', text: 'Shared secret (HMAC-SHA256)' },
  { value: 'ed25519', text: 'Public key (Ed25519)' },
]

export function AddWebhook({ onClose, onDone }: DialogProps<WithKey>) {
  const { api } = useConsole()
  const [types, setTypes] = useState('')
  const form = useCallForm({
    rules: consoleCalls.addWebhook.input.shape,
    values: { scheme: 'hmac' },
    send: async (values) => onDone(await api.addWebhook(values)),
  })
  return (
    <FormDialog
      title="Add a webhook"
      text="It gets events from now on. We never send members’ names or contact details."
      form={form}
      submitLabel="Add"
      onClose={onClose}
    >
      <EndpointFields form={form} />
      <TypeBoxes types={types} onChange={setTypes} error={form.field('types').error} />
      <SelectField
        {...form.field('scheme')}
        label="Signature"
        hint="A shared secret works with every library."
        options={schemes}
      />
    </FormDialog>
  )
}

export function EditWebhook({ page, onClose, onDone }: DialogProps<WebhookPage> & { page: WebhookPage }) {
  const { api } = useConsole()
  const [types, setTypes] = useState(page.types)
  const endpoint_id = page.id
  const { url, description, types: typesRule } = consoleCalls.editWebhook.input.shape
  const form = useEditForm({
    rules: { url, description, types: typesRule },
    page,
    shownOf: ({ version, url, description, types }) => ({ version, values: { url, description, types } }),
    load: () => api.getWebhook({ endpoint_id }),
    save: (values, version) => api.editWebhook({ endpoint_id, version, ...values }),
    onSaved: onDone,
    enter: { types: setTypes },
    labels: { url: 'Address', description: 'Name', types: 'Events' },
    show: (name, value) => (name === 'types' ? value || 'all' : value),
  })
  return (
    <FormDialog title="Edit the webhook" form={form} submitLabel="Save" onClose={onClose}>
      <EndpointFields form={form} />
      <TypeBoxes types={types} onChange={setTypes} error={form.field('types').error} />
      {form.questions}
    </FormDialog>
  )
}

const EndpointFields = ({ form }: { form: { field: (name: 'url' | 'description') => object } }) => {
  const field = (name: 'url' | 'description') => form.field(name) as Parameters<typeof Field>[0]
  return (
    <>
      <Field
        {...field('url')}
        label="Address"
        hint="It must start with https://"
        type="url"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field {...field('description')} label="Name" optional hint="Which system it is" autoComplete="off" />
    </>
  )
}

/** None of the list is ticked: refused, because an empty list means all. */
const NONE = 'none'

type TypeBoxesProps = { types: string; onChange: (types: string) => void; error: string | undefined }

function TypeBoxes({ types, onChange, error }: TypeBoxesProps) {
  const isAll = types === ''
  const chosen = types.split(' ')
  const toggle = (type: string, isOn: boolean) => {
    const next = allEventTypes.filter((each) => (each === type ? isOn : chosen.includes(each)))
    onChange(next.toSorted().join(' ') || NONE)
  }
  return (
    <fieldset
      className="event-boxes field"
      id="types"
      data-field="types"
      tabIndex={-1}
      aria-describedby={error && 'types-error'}
      aria-invalid={error ? true : undefined}
    >
      <legend>Events</legend>
      <input type="hidden" name="types" value={types} />
      <label className="tick-row">
        <input type="checkbox" checked={isAll} onChange={({ target }) => onChange(target.checked ? '' : NONE)} />
        <span>All, including types added later</span>
      </label>
      {!isAll && (
        <div className="event-kinds">
          {allEventTypes.map((type) => (
            <label key={type} className="tick-row" title={eventTypes[type].meaning}>
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onChange={({ target }) => toggle(type, target.checked)}
              />
              <code>
                {type.split('.')[0]}.<wbr />
                {type.split('.')[1]}
              </code>
            </label>
          ))}
        </div>
      )}
      <FieldError name="types" error={error} />
    </fieldset>
  )
}

type ShowKeyProps = { text: string; scheme: WebhookPage['scheme']; onClose: () => void }

export const ShowKey = ({ text, scheme, onClose }: ShowKeyProps) =>
  scheme === 'hmac' ? (
    <CopyDialog
      title="The secret of this webhook"
      text="The receiver checks our signature with it. Copy it now: this is the only time it’s shown."
      value={text}
      label="Copy the secret"
      isSecret
      onClose={onClose}
    />
  ) : (
    <CopyDialog
      title="The public key of this webhook"
      text="The receiver checks our signature with it. It isn’t secret, and it’s always on the webhook’s page."
      value={text}
      label="Copy the key"
      onClose={onClose}
    />
  )

export function SwitchWebhook({ page, onClose, onDone }: DialogProps<WebhookPage> & { page: WebhookPage }) {
  const { api } = useConsole()
  const isOn = page.state === 'on'
  return (
    <ConfirmDialog
      title={isOn ? 'Turn this webhook off?' : 'Turn this webhook on?'}
      text={
        isOn
          ? 'We send nothing until you turn it on again. We keep its events for 90 days, and send them then.'
          : 'It picks up where it stopped: we send everything since then, in order.'
      }
      submitLabel={isOn ? 'Turn off' : 'Turn on'}
      send={async () =>
        onDone(
          await (isOn ? api.turnOffWebhook({ endpoint_id: page.id }) : api.turnOnWebhook({ endpoint_id: page.id })),
        )
      }
      onClose={onClose}
    />
  )
}

export function RotateSecret({ page, onClose, onDone }: DialogProps<WithKey> & { page: WebhookPage }) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title={page.scheme === 'hmac' ? 'Make a new secret?' : 'Make a new key?'}
      text="We keep signing with the old one for a day, so you have time to update the receiver."
      submitLabel="Rotate"
      send={async () => onDone(await api.rotateWebhookSecret({ endpoint_id: page.id }))}
      onClose={onClose}
    />
  )
}

export function Replay({ page, onClose, onDone }: DialogProps<number> & { page: WebhookPage }) {
  const { api, session } = useConsole()
  const { from, to } = consoleCalls.replayWebhook.input.shape
  const form = useCallForm({
    rules: { from, to },
    values: { from: session.today, to: session.today },
    send: async (values) => onDone((await api.replayWebhook({ endpoint_id: page.id, ...values })).count),
  })
  return (
    <FormDialog
      title="Send days again"
      text="We send every event from these days that this webhook gets, with the same ids. A receiver that checks ids skips the ones it has."
      form={form}
      submitLabel="Send again"
      onClose={onClose}
    >
      <Field {...form.field('from')} label="First day" type="date" max={session.today} />
      <Field {...form.field('to')} label="Last day" type="date" max={session.today} />
    </FormDialog>
  )
}

export function RemoveWebhook({ page, onClose, onDone }: DialogProps<undefined> & { page: WebhookPage }) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title="Remove this webhook?"
      text={
        page.open
          ? `${page.open === 1 ? 'One delivery is' : `${page.open} deliveries are`} still on the way and won’t be sent. To keep them, turn the webhook off instead.`
          : 'Its deliveries are removed, too. To keep them, turn the webhook off instead.'
      }
      submitLabel="Remove"
      send={async () => {
        await api.removeWebhook({ endpoint_id: page.id })
        onDone(undefined)
      }}
      onClose={onClose}
    />
  )
}
