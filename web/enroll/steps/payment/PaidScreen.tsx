import { useState } from 'react'
import { Login, useLogin } from '#web/enroll/steps/access/OfficeLogin.tsx'
import { ourPayment } from './ourPayment.ts'
import { Screen } from './Screen.tsx'

/** Somebody came back to PAYMENT, or has it open in a second tab, after it was paid: by them, or by another at this browser. */
export function Paid() {
  const login = useLogin()
  const [isWelcome] = useState(ourPayment().isWelcome)
  return (
    <Screen title="This is paid">
      {isWelcome ? (
        <p className="lead">You are a member already. Nothing more is charged, and your office is open to you.</p>
      ) : (
        <p className="lead">
          Somebody has joined from this page already, and nothing more is charged. If that was you, sign in at your
          office. If not, <a href={location.pathname}>open this page anew</a> to join.
        </p>
      )}
      <Login login={login}>Go to my office</Login>
    </Screen>
  )
}
