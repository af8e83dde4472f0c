import { type ReactNode, useState } from 'react'
import type { ConsoleSession, Staff } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { CodeField } from '#web/credentials/CodeField.tsx'
import { signWithPasskey } from '#web/credentials/passkeys.ts'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { Dialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { plainApi } from '../api.ts'

type ProofProps = {
  staff: Staff
  method: ConsoleSession['method']
  onProved: () => void
  onCancel: () => void
}

const TITLE = 'Confirm that it is you'

/** Before money or staff change, if the last proof is more than ten minutes ago. */
export function ProofDialog({ method, onProved, onCancel }: ProofProps) {
  const [way, setWay] = useState(method ?? 'passkey')
  const other = way === 'passkey' ? 'password' : 'passkey'
  const switchWay = (
    <button type="button" className="link" onClick={() => setWay(other)}>
      {other === 'passkey' ? 'Use a passkey instead' : 'Use your password instead'}
    </button>
  )
  const text = <p>This changes money or access. {switchWay}</p>
  return way === 'passkey' ? (
    <PasskeyProof text={text} onProved={onProved} onCancel={onCancel} />
  ) : (
    <PasswordProof text={text} onProved={onProved} onCancel={onCancel} />
  )
}

type WayProps = Pick<ProofProps, 'onProved' | 'onCancel'> & { text: ReactNode }

function PasskeyProof({ text, onProved, onCancel }: WayProps) {
  const { button, error } = useAction(async () => {
    await plainApi.proveWithPasskey({ response: await signWithPasskey(await plainApi.getPasskeyOptions({})) })
    onProved()
  })
  return (
    <Dialog title={TITLE} text={text} isBusy={button.busy} onClose={onCancel}>
      <ErrorNotice message={error} />
      <div className="form-actions">
        <ActionButton {...button}>Use your passkey</ActionButton>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}

function PasswordProof({ text, onProved, onCancel }: WayProps) {
  const form = useCallForm({
    rules: consoleCalls.proveWithPassword.input.shape,
    send: async (values) => {
      await plainApi.proveWithPassword(values)
      onProved()
    },
  })
  return (
    <FormDialog title={TITLE} text={text} form={form} submitLabel="Confirm" onClose={onCancel}>
      <PasswordField {...form.field('password')} label="Password" autoComplete="current-password" enterKeyHint="next" />
      <CodeField {...form.field('code')} />
    </FormDialog>
  )
}
