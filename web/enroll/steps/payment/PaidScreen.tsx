import { useState } from 'react'
import type { Receipt } from '#web/storage.ts'
import { OfficeLogin, useOfficeLogin } from '../access/OfficeLogin.tsx'
import type { Payment } from './payment.ts'
import { Screen } from './Screen.tsx'

type PaidScreenProps = {
  payment: Payment
  /** What this tab has paid for. */
  receipt: Receipt | undefined
}

/** PAYMENT after the payment: by Previous or Back, in a second tab, or because another person at this browser has paid. */
export function PaidScreen({ payment, receipt }: PaidScreenProps) {
  const login = useOfficeLogin(payment)
  const [isPayer] = useState(() => payment.hasFreshGrant() || receipt !== undefined)
  return (
    <Screen title="Already paid">
      {isPayer ? (
        <p className="lead">You are already a member. You won’t be charged again, and you can go to your office now.</p>
      ) : (
        <p className="lead">
          Someone has already joined from this page, and nothing more will be charged. If that was you, please sign in
          to your office. If not, <a href={location.pathname}>enroll as another person</a>.
        </p>
      )}
      <OfficeLogin login={login}>Go to my office</OfficeLogin>
    </Screen>
  )
}
