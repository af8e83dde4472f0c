import { useRef, useState } from 'react'
import { brand } from '#contract/brand.ts'
import { officeAddress } from '#contract/office/address.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useOnline } from '#web/useOnline.ts'
import type { Payment } from '../payment/payment.ts'
import { Support } from '../payment/Support.tsx'
import { useRepeated } from '../payment/useRepeated.ts'

/** waiting: for the network or an answer; then the office opens. */
type LoginStatus = 'idle' | 'opening' | 'waiting' | 'needs-sign-in'

/** How long the browser may take to leave the page before another press counts. */
const LEAVING_MS = 4_000

const RETRY_MS = 2_000

/** Opens the office with a grant that is still valid. Never leaves the page without a network. */
export function useOfficeLogin(payment: Payment) {
  const [status, setStatus] = useState<LoginStatus>('idle')
  const [officeUrl, setOfficeUrl] = useState('')
  const isOpening = useRef(false)
  const isWanted = useRef(false)
  const isOnline = useOnline()

  const open = async () => {
    isWanted.current = true
    if (!navigator.onLine) return setStatus('waiting')
    if (status !== 'waiting') setStatus('opening')
    if (isOpening.current) return
    isOpening.current = true
    try {
      const { token, vo_url } = await payment.takeGrant()
      if (!isWanted.current) return // the visitor stays; the next press takes a new grant
      setOfficeUrl(vo_url)
      if (!token) return setStatus('needs-sign-in')
      location.assign(officeAddress(vo_url, token))
      setStatus('opening')
      setTimeout(() => setStatus('idle'), LEAVING_MS)
    } catch (cause) {
      log('The office could not be opened.', cause)
      if (isWanted.current) setStatus('waiting')
    } finally {
      isOpening.current = false
    }
  }
  const stopOpening = () => {
    isWanted.current = false
    setStatus('idle')
  }
  useRepeated(status === 'waiting' && isOnline, open, RETRY_MS)
  return { status, officeUrl, isOnline, open, stopOpening }
}

type OfficeLoginProps = {
  login: ReturnType<typeof useOfficeLogin>
  /** The office opens without a press. */
  isAutomatic?: boolean
  children: string
}

/** The button that opens the office, and what to do if it cannot. */
export function OfficeLogin({ login, isAutomatic, children }: OfficeLoginProps) {
  const { status, officeUrl, isOnline, open } = login
  return (
    <div className="login">
      <button type="button" className="button" aria-busy={status === 'opening' || undefined} onClick={open}>
        {children}
        <ArrowIcon />
      </button>
      <div role="status">
        {status === 'needs-sign-in' && (
          <Notice title="Please sign in to your office.">
            This page can no longer sign you in.{' '}
            {officeUrl ? (
              <a href={officeUrl}>Go to the office</a>
            ) : (
              <>
                {brand.name} can tell you where your office is. <Support />
              </>
            )}
          </Notice>
        )}
        {!isOnline && (isAutomatic || status === 'waiting') && (
          <Notice title="You’re offline.">Your office opens as soon as you’re back online.</Notice>
        )}
        {isOnline && status === 'waiting' && (
          <Notice tone="alert" title="We can’t reach your office at the moment.">
            You’re a member. We’ll keep trying.
          </Notice>
        )}
      </div>
    </div>
  )
}
