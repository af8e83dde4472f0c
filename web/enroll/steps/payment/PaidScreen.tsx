import { useState } from 'react'
import { OfficeLogin, useOfficeLogin } from '../access/OfficeLogin.tsx'
import type { Payment } from './payment.ts'
import { Screen } from './Screen.tsx'

/** PAYMENT after the payment: in a second tab, by Back, or because another person at this browser has paid. */
export function PaidScreen({ payment }: { payment: Payment }) {
  const login = useOfficeLogin(payment)
  const [isPayer] = useState(payment.hasFreshGrant)
  return (
    <Screen title="Already paid">
      {isPayer ? (
        <p className="lead">You are already a member. You won’t be charged again, and you can go to your office now.</p>
      ) : (
        <p className="lead">
          Someone has already joined from this page, and nothing more will be charged. If that was you, please sign in
          to your office. If not, <a href={location.pathname}>reload this page</a> to join.
        </p>
      )}
      <OfficeLogin login={login}>Go to my office</OfficeLogin>
    </Screen>
  )
}
