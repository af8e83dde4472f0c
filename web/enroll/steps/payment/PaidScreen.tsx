import { useState } from 'react'
import { brand } from '#contract/brand.ts'
import type { Receipt } from '#web/storage.ts'
import { OfficeLogin, useOfficeLogin } from '../access/OfficeLogin.tsx'
import type { Payment } from './payment.ts'
import { Screen } from './Screen.tsx'
import { Support } from './Support.tsx'

type PaidScreenProps = {
  payment: Payment
  /** What this tab has paid for. */
  receipt: Receipt | undefined
  /** Who has paid in another tab while this one was open. */
  joinedAs: string | undefined
}

/** PAYMENT after the payment: by Previous or Back, in a second tab, or because another person at this browser has paid. */
export function PaidScreen({ payment, receipt, joinedAs }: PaidScreenProps) {
  const login = useOfficeLogin(payment)
  const [isPayer] = useState(() => payment.hasFreshGrant() || receipt !== undefined)
  const [hasOffice] = useState(() => payment.signInUrl() !== '') // an operator's host may not have said where it is
  return (
    <Screen title={joinedAs ? `You joined as ${joinedAs}` : 'Already paid'}>
      {joinedAs !== undefined ? (
        <p className="lead">
          The payment was made in another tab, and nothing more will be charged.{' '}
          {hasOffice && 'You can go to your office now. '}If this is for someone else,{' '}
          <a href={location.pathname}>enroll another person</a>.
        </p>
      ) : isPayer ? (
        <p className="lead">
          You are already a member. You won’t be charged again{hasOffice && ', and you can go to your office now'}.
        </p>
      ) : (
        <p className="lead">
          Someone has already joined from this page, and nothing more will be charged. If that was you, please sign in
          to your office. If not, <a href={location.pathname}>enroll as another person</a>.
        </p>
      )}
      {hasOffice ? (
        <OfficeLogin login={login}>Go to my office</OfficeLogin>
      ) : (
        <p>
          {brand.name} can tell you where to sign in to your office. <Support />
        </p>
      )}
    </Screen>
  )
}
