import { type ReactNode, useState } from 'react'
import { brand } from '#contract/brand.ts'
import type { ConsoleSession } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { CodeField } from '#web/credentials/CodeField.tsx'
import { hasPasskeys, signWithPasskey } from '#web/credentials/passkeys.ts'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { Dialog } from '#web/ui/FormDialog.tsx'
import { plainApi } from '../api.ts'
import { Title } from '../parts.tsx'

type EnterProps = { onEnter: (session: ConsoleSession) => void }

/** Passkey first; the password is the other way. */
export function SignIn({ onEnter }: EnterProps) {
  return (
    <Entrance title="Sign in to the console" lead={`For the staff of ${brand.name}.`}>
      <Title>Sign in</Title>
      <SignInWays onEnter={onEnter} />
    </Entrance>
  )
}

type SignInAgainProps = EnterProps & { onLeave: () => void }

/** Over what is on the screen, which can't be read until someone has signed in. Esc doesn't close it. */
export const SignInAgain = ({ onEnter, onLeave }: SignInAgainProps) => (
  <Dialog title="Sign in again" text="Your session has ended. What you typed is still here." isCovering onClose={stay}>
    <SignInWays onEnter={onEnter} />
    <p className="aside">
      <button type="button" className="link" onClick={onLeave}>
        Leave without saving
      </button>
    </p>
  </Dialog>
)
const stay = () => undefined

function SignInWays({ onEnter }: EnterProps) {
  const [way, setWay] = useState<'passkey' | 'password'>(hasPasskeys() ? 'passkey' : 'password')
  return (
    <>
      {way === 'passkey' ? <PasskeySignIn onEnter={onEnter} /> : <PasswordSignIn onEnter={onEnter} />}
      <p className="aside">
        <button type="button" className="link" onClick={() => setWay(way === 'passkey' ? 'password' : 'passkey')}>
          {way === 'passkey' ? 'Use a password and a code' : 'Use a passkey'}
        </button>
      </p>
    </>
  )
}

type EntranceProps = { title: string; lead: ReactNode; children: ReactNode }

/** The frame of what is shown before someone is signed in. */
export const Entrance = ({ title, lead, children }: EntranceProps) => (
  <div className="entrance">
    <main className="card">
      <p className="brand">
        <img src={brand.mark} alt="" width="30" height="30" />
        {brand.name}
      </p>
      <h1>{title}</h1>
      <p className="lead">{lead}</p>
      {children}
    </main>
  </div>
)

function PasskeySignIn({ onEnter }: EnterProps) {
  const { button, error } = useAction(async () =>
    onEnter(
      await plainApi.signInWithPasskey({ response: await signWithPasskey(await plainApi.getPasskeyOptions({})) }),
    ),
  )
  return (
    <>
      <ErrorNotice message={error} />
      <ActionButton {...button}>Sign in with a passkey</ActionButton>
    </>
  )
}

function PasswordSignIn({ onEnter }: EnterProps) {
  const form = useCallForm({
    rules: consoleCalls.signInWithPassword.input.shape,
    send: async (values) => onEnter(await plainApi.signInWithPassword(values)),
  })
  return (
    <CallForm form={form} submitLabel="Sign in">
      <Field {...form.field('email')} label="Email address" type="email" autoComplete="username" enterKeyHint="next" />
      <PasswordField {...form.field('password')} label="Password" autoComplete="current-password" enterKeyHint="next" />
      <CodeField {...form.field('code')} />
    </CallForm>
  )
}
