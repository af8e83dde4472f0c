import { useState } from 'react'
import { officeAddress } from '#contract/office.ts'
import { ourPayment } from '#web/enroll/steps/payment/ourPayment.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { Notice } from '#web/Notice.tsx'

type Door = 'shut' | 'opening' | 'sign-in' | 'unreachable'

/** How long the browser may take to leave before another press counts. */
const LEAVING = 4_000

/** The way into the office, with a grant that is still good. */
export function useLogin() {
  const [door, setDoor] = useState<Door>('shut')
  const [office, setOffice] = useState('')

  const open = async () => {
    if (door === 'opening') return
    setDoor('opening')
    try {
      const { token, vo_url } = await ourPayment().takeGrant()
      setOffice(vo_url)
      if (!token) return setDoor('sign-in')
      location.assign(officeAddress(vo_url, token))
      setTimeout(() => setDoor('shut'), LEAVING)
    } catch (cause) {
      log('There is no key to the office at the moment.', cause)
      setDoor('unreachable')
    }
  }
  return { door, office, open }
}

/** The button, and what to do when it cannot help. */
export function Login({ login, children }: { login: ReturnType<typeof useLogin>; children: string }) {
  const { door, office, open } = login
  return (
    <div className="login">
      <button type="button" className="button" aria-busy={door === 'opening' || undefined} onClick={open}>
        {children}
        <ArrowIcon />
      </button>
      <div role="status">
        {door === 'sign-in' && (
          <Notice title="Please sign in at the office.">
            This page can no longer open it for you. {office && <a href={office}>Go to the office</a>}
          </Notice>
        )}
        {door === 'unreachable' && (
          <Notice tone="alert" title="The office does not answer at the moment.">
            You are a member all the same. Please press {children} again in a minute.
          </Notice>
        )}
      </div>
    </div>
  )
}
