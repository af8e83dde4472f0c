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
      text="It receives events from now on. They never include members’ names or contact details."
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
        hint="Must start with https://"
        type="url"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field
        {...field('description')}
        label="Name"
        optional
        hint="The system that receives the events"
        autoComplete="off"
      />
    </>
  )
}

/** No box is ticked. Refused, because an empty list means all. */
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
      title="Webhook secret"
      text="Your receiver uses it to check our signatures. Copy it now: we won’t show it again."
      value={text}
      label="Copy the secret"
      isSecret
      onClose={onClose}
    />
  ) : (
    <CopyDialog
      title="Webhook public key"
      text="Your receiver uses it to check our signatures. It isn’t secret, and you can always find it on the webhook’s page."
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
          ? 'We won’t send anything until you turn it back on. We keep its events for 90 days and send them then.'
          : 'It picks up where it left off: we’ll send everything it missed, in order.'
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
      title={page.scheme === 'hmac' ? 'Rotate the secret?' : 'Rotate the key?'}
      text="For a day we’ll sign with both the old and the new one, so you have time to update the receiver."
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
      title="Send events again"
      text="We’ll resend every event from these days that this webhook receives. The ids stay the same, so a receiver that checks them skips events it already has."
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
          ? `${page.open === 1 ? 'One delivery is' : `${page.open} deliveries are`} still pending and won’t be sent. To keep its deliveries, turn the webhook off instead.`
          : 'This also removes its deliveries. To keep them, turn the webhook off instead.'
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
