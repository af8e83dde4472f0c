import { useState } from 'react'
import { brand } from '#contract/brand.ts'
import { type ConsoleSession, STAFF_PASSWORD_LENGTH } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import type { AppSecret } from '#contract/credentials.ts'
import { AppSetup } from '#web/credentials/AppSetup.tsx'
import { createPasskey, hasPasskeys } from '#web/credentials/passkeys.ts'
import { RecoveryCodes } from '#web/credentials/RecoveryCodes.tsx'
import { Field } from '#web/form/Field.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { plainApi } from '../api.ts'
import { ConsoleLoading } from '../ConsoleLoading.tsx'
import { Title } from '../parts.tsx'
import { navigate } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Entrance } from './SignIn.tsx'

type WelcomeProps = { onEnter: (session: ConsoleSession) => void }
type Invitation = { token: string; email?: string | undefined; role: string }

/** Where an invitation leads. Its token is behind the #, and is taken out of the address as soon as it is used. */
export function Welcome({ onEnter }: WelcomeProps) {
  const [token] = useState(() => location.hash.slice(1))
  const { data, error } = useLoaded('invitation', () => plainApi.getInvitation({ token }))
  const enter = (session: ConsoleSession) => {
    onEnter(session)
    navigate('/console', { replace: true })
  }
  if (error)
    return (
      <Entrance title="This link does not work" lead="Invitations work once, and for three days.">
        <Notice tone="alert">{error}</Notice>
      </Entrance>
    )
  if (!data) return <ConsoleLoading />
  return <Accept invitation={{ token, ...data }} onEnter={enter} />
}

type Person = { name: string; email: string }

function Accept({ invitation, onEnter }: WelcomeProps & { invitation: Invitation }) {
  const [app, setApp] = useState<{ person: Person; secret: AppSecret }>()
  const [codes, setCodes] = useState<{ session: ConsoleSession; recovery_codes: string[] }>()
  if (codes)
    return (
      <Entrance title="Keep these codes" lead="Each signs you in once if you do not have your phone.">
        <RecoveryCodes codes={codes.recovery_codes} onDone={() => onEnter(codes.session)} />
      </Entrance>
    )
  if (app) return <PasswordWay invitation={invitation} {...app} onAccepted={setCodes} />
  return (
    <PasskeyWay
      invitation={invitation}
      onEnter={onEnter}
      onPassword={async (person) => {
        const secret = await plainApi.getInvitationApp({ token: invitation.token, email: person.email })
        setApp({ person, secret })
      }}
    />
  )
}

type PasskeyWayProps = WelcomeProps & { invitation: Invitation; onPassword: (person: Person) => Promise<void> }

/** Two buttons, one form: the name is needed either way. */
function PasskeyWay({ invitation, onEnter, onPassword }: PasskeyWayProps) {
  const { token, email, role } = invitation
  const [way, setWay] = useState<'passkey' | 'password'>(hasPasskeys() ? 'passkey' : 'password')
  const { name, email: emailRule } = consoleCalls.acceptWithPasskey.input.shape
  const form = useCallForm({
    rules: { name, email: emailRule },
    values: { email: email ?? '' },
    send: async (person) => {
      if (way === 'password') return onPassword(person)
      const options = await plainApi.getInvitationPasskey({ token, ...person })
      onEnter(await plainApi.acceptWithPasskey({ token, ...person, response: await createPasskey(options) }))
    },
  })
  const isOwner = !email
  return (
    <Entrance
      title={isOwner ? 'Welcome, owner' : `Welcome to ${brand.name}`}
      lead={
        isOwner
          ? 'You’re the first to use this console, and you can invite others.'
          : `You are invited to the console as ${role}.`
      }
    >
      <Title>Welcome</Title>
      <CallForm form={form} submitLabel={way === 'passkey' ? 'Create a passkey' : 'Next'}>
        <Field {...form.field('name')} label="Your name" autoComplete="name" enterKeyHint="next" />
        <Field
          {...form.field('email')}
          label="Email address"
          type="email"
          autoComplete="email"
          readOnly={Boolean(email)}
          enterKeyHint="go"
        />
      </CallForm>
      <p className="aside">
        {way === 'passkey'
          ? 'A passkey is kept by your device or password manager: a fingerprint, a face or a PIN signs you in. '
          : 'Next you choose a password and connect an authenticator app. '}
        <button type="button" className="link" onClick={() => setWay(way === 'passkey' ? 'password' : 'passkey')}>
          {way === 'passkey' ? 'Use a password instead' : 'Use a passkey instead'}
        </button>
      </p>
    </Entrance>
  )
}

type PasswordWayProps = {
  invitation: Invitation
  person: Person
  secret: AppSecret
  onAccepted: (reply: { session: ConsoleSession; recovery_codes: string[] }) => void
}

function PasswordWay({ invitation, person, secret, onAccepted }: PasswordWayProps) {
  const { password, code } = consoleCalls.acceptWithPassword.input.shape
  const form = useCallForm({
    rules: { password, code },
    send: async (values) =>
      onAccepted(
        await plainApi.acceptWithPassword({ token: invitation.token, ...person, ...values, sealed: secret.sealed }),
      ),
  })
  return (
    <Entrance title="Password and app" lead="You will sign in with your password and a code that the app shows.">
      <CallForm form={form} submitLabel="Finish">
        <PasswordField
          {...form.field('password')}
          label="New password"
          autoComplete="new-password"
          length={STAFF_PASSWORD_LENGTH}
          enterKeyHint="next"
        />
        <AppSetup secret={secret} field={form.field('code')} />
      </CallForm>
    </Entrance>
  )
}
