import { type AbuseView, restrictionHours } from '#contract/console/abuse.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'

type BreakerName = AbuseView['breakers'][number]['name']

export const breakerTexts = {
  declines: {
    title: 'Declined cards',
    effect: 'While phone codes are required, every visitor confirms a phone number before paying.',
    on: 'phone codes required',
    turnOn: 'Require phone codes',
  },
  codes: {
    title: 'Phone codes',
    effect: 'While they’re limited, only a few codes are sent.',
    on: 'limited',
    turnOn: 'Limit phone codes',
  },
} as const satisfies Record<BreakerName, object>

export type AbuseQuestion =
  | { kind: 'open_breaker' | 'close_breaker'; breaker: BreakerName }
  | { kind: 'block' }
  | { kind: 'lift'; block: AbuseView['blocks'][number] }
  | { kind: 'pause'; pause: AbuseView['pause'] }
  | { kind: 'resume' }

/** The confirmation when it's done. */
export function doneText(question: AbuseQuestion): string {
  switch (question.kind) {
    case 'open_breaker':
      return `${breakerTexts[question.breaker].title}: ${breakerTexts[question.breaker].on}.`
    case 'close_breaker':
      return `${breakerTexts[question.breaker].title}: back to normal.`
    case 'block':
      return 'The network is blocked.'
    case 'lift':
      return `${question.block.network} is no longer blocked.`
    case 'pause':
      return 'Joining is paused.'
    default:
      return 'Joining is open again.'
  }
}

type DialogProps = { onClose: () => void; onDone: (view: AbuseView) => void }

export function AbuseDialog({ question, ...props }: DialogProps & { question: AbuseQuestion }) {
  switch (question.kind) {
    case 'open_breaker':
      return <OpenBreaker breaker={question.breaker} {...props} />
    case 'close_breaker':
      return <CloseBreaker breaker={question.breaker} {...props} />
    case 'block':
      return <Block {...props} />
    case 'lift':
      return <Lift block={question.block} {...props} />
    case 'pause':
      return <Pause pause={question.pause} {...props} />
    default:
      return <Resume {...props} />
  }
}

const hourTexts: Record<(typeof restrictionHours)[number], string> = {
  '1': 'an hour',
  '6': '6 hours',
  '24': 'a day',
  '72': '3 days',
  '168': 'a week',
  '720': '30 days',
}
const hourOptions = restrictionHours.map((value) => ({ value: String(value), text: hourTexts[value] }))

function OpenBreaker({ breaker, onClose, onDone }: DialogProps & { breaker: BreakerName }) {
  const { api } = useConsole()
  const { hours } = consoleCalls.openBreaker.input.shape
  const form = useCallForm({
    rules: { hours },
    values: { hours: '1' },
    send: async (values) => onDone(await api.openBreaker({ breaker, ...values })),
  })
  const { turnOn, effect } = breakerTexts[breaker]
  return (
    <FormDialog title={`${turnOn}?`} text={effect} form={form} submitLabel={turnOn} onClose={onClose}>
      <SelectField {...form.field('hours')} label="For how long" options={hourOptions} />
    </FormDialog>
  )
}

function CloseBreaker({ breaker, onClose, onDone }: DialogProps & { breaker: BreakerName }) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title={`${breakerTexts[breaker].title}: back to normal?`}
      text="Visitors can continue as usual. The count starts over, so this turns on again only if failures continue."
      submitLabel="Back to normal"
      send={async () => onDone(await api.closeBreaker({ breaker }))}
      onClose={onClose}
    />
  )
}

function Block({ onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: consoleCalls.blockNetwork.input.shape,
    values: { hours: '24' },
    send: async (values) => onDone(await api.blockNetwork(values)),
  })
  return (
    <FormDialog
      title="Block a network"
      text="Its visitors can read the pages but can’t use the form. The page tells them."
      form={form}
      submitLabel="Block"
      onClose={onClose}
    >
      <Field
        {...form.field('network')}
        label="Address or network"
        hint="Such as 203.0.113.9, 203.0.113.0/24 or 2001:db8::/48. For an IPv6 address, the whole /64 is blocked."
        autoComplete="off"
        spellCheck={false}
      />
      <SelectField {...form.field('hours')} label="For how long" options={hourOptions} />
      <Field
        {...form.field('note')}
        label="Note"
        hint="For your colleagues, and for the audit log."
        autoComplete="off"
      />
    </FormDialog>
  )
}

function Lift({ block, onClose, onDone }: DialogProps & { block: AbuseView['blocks'][number] }) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title={`Lift the block of ${block.network}?`}
      text="Its visitors can use the form again within seconds."
      submitLabel="Lift"
      send={async () => onDone(await api.liftBlock({ id: block.id }))}
      onClose={onClose}
    />
  )
}

const pauseOptions = [{ value: 'open', text: 'until someone opens it again' }, ...hourOptions]

function Pause({ pause, onClose, onDone }: DialogProps & { pause: AbuseView['pause'] }) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: consoleCalls.pauseJoining.input.shape,
    values: { message: pause?.message ?? 'Please come back soon.', hours: 'open' },
    send: async (values) => onDone(await api.pauseJoining(values)),
  })
  return (
    <FormDialog
      title="Pause joining"
      text="The pages stay open and say that joining is closed for now. A payment that was already sent ends as always."
      form={form}
      submitLabel="Pause"
      onClose={onClose}
    >
      <Field
        {...form.field('message')}
        label="What visitors read"
        hint="After “Joining is closed for now.”"
        autoComplete="off"
      />
      <SelectField {...form.field('hours')} label="For how long" options={pauseOptions} />
    </FormDialog>
  )
}

function Resume({ onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title="Open joining again?"
      text="Every process follows within seconds."
      submitLabel="Open joining"
      send={async () => onDone(await api.resumeJoining({}))}
      onClose={onClose}
    />
  )
}
