import { Login, useLogin } from './Login.tsx'
import { Screen } from './Screen.tsx'

/** Somebody came back to PAYMENT, or has it open in a second tab, after it was paid. */
export function Paid() {
  const login = useLogin()
  return (
    <Screen title="This is paid">
      <p className="lead">You are a member already. Nothing more is charged, and your office is open to you.</p>
      <Login login={login}>Go to my office</Login>
    </Screen>
  )
}
