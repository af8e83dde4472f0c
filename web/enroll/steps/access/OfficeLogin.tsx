import { useState } from 'react'
import { officeAddress } from '#contract/office/address.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { Notice } from '#web/ui/Notice.tsx'
import type { Payment } from '../payment/payment.ts'

type LoginStatus = 'idle' | 'opening' | 'needs-sign-in' | 'unreachable'

/** How long the browser may take to leave the page before another press counts. */
const LEAVING_MS = 4_000

/** Opens the office with a grant that is still valid. */
export function useOfficeLogin(payment: Payment) {
  const [status, setStatus] = useState<LoginStatus>('idle')
  const [officeUrl, setOfficeUrl] = useState('')

  const open = async () => {
    if (status === 'opening') return
    setStatus('opening')
    try {
      const { token, vo_url } = await payment.takeGrant()
      setOfficeUrl(vo_url)
      if (!token) return setStatus('needs-sign-in')
      location.assign(officeAddress(vo_url, token))
      setTimeout(() => setStatus('idle'), LEAVING_MS)
    } catch (cause) {
      log('The office could not be opened.', cause)
      setStatus('unreachable')
    }
  }
  return { status, officeUrl, open }
}

/** The button that opens the office, and what to do if it cannot. */
export function OfficeLogin({ login, children }: { login: ReturnType<typeof useOfficeLogin>; children: string }) {
  const { status, officeUrl, open } = login
  return (
    <div className="login">
      <button type="button" className="button" aria-busy={status === 'opening' || undefined} onClick={open}>
        {children}
        <ArrowIcon />
      </button>
      <div role="status">
        {status === 'needs-sign-in' && (
          <Notice title="Please sign in to your office.">
            This page can no longer sign you in. {officeUrl && <a href={officeUrl}>Go to the office</a>}
          </Notice>
        )}
        {status === 'unreachable' && (
          <Notice tone="alert" title="The office is not responding at the moment.">
            You are a member. Please press “{children}” again in a minute.
          </Notice>
        )}
      </div>
    </div>
  )
}
