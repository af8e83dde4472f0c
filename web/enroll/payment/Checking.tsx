import type { Wizard } from '../wizard.ts'
import { Screen } from './Screen.tsx'

/** Nobody can say yet whether it is paid. Never says 'declined'. */
export function Checking({ wizard }: { wizard: Wizard }) {
  const { email } = wizard.draft
  return (
    <Screen title="Your payment is being checked …">
      <p className="lead">This usually takes a minute or two. This page goes on by itself as soon as we know.</p>
      <div className="checking-bar" aria-hidden="true" />
      <ul className="points">
        <li>Please do not pay again. You are charged once at most.</li>
        <li>
          You may also leave this page: as soon as we know, we write to {email ? <strong>{email}</strong> : 'you'}.
        </li>
      </ul>
    </Screen>
  )
}
