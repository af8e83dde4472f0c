import { useEffect, useEffectEvent, useState } from 'react'
import { tokenFromAddress } from '#contract/office/address.ts'
import { RejectedCall } from '#web/call.ts'
import { SubmitButton } from '#web/ui/CallForm.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'
import { redirectWithMessage } from '../flashMessage.ts'
import { needsCookies } from '../messages.ts'
import { SignedOutFrame } from './SignedOutFrame.tsx'
import { SignInForm } from './SignIn.tsx'

const EXPIRED = 'This sign-in link has expired'

type State = 'confirm' | 'opening' | 'expired' | { error: string }

/**
 * Exchanges the grant in the address for a session. The script sends it by POST, so that a link scanner cannot use it up.
 * Visitors from another site must confirm first, or they could be signed in to a stranger's office without noticing.
 */
export function GrantLanding({ isFromOtherSite }: { isFromOtherSite?: true | undefined }) {
  const [state, setState] = useState<State>(isFromOtherSite ? 'confirm' : 'opening')
  const [hasSession, setHasSession] = useState(false)

  const openOffice = async () => {
    try {
      await officeApi.enterOffice({ token: grantInAddress() })
      redirectWithMessage('/office', needsCookies) // appears only if the member is still signed out there
    } catch (cause) {
      setHasSession(await isSignedIn())
      setState(cause instanceof RejectedCall && cause.status === 401 ? 'expired' : { error: errorMessage(cause) })
    }
  }
  const openAtOnce = useEffectEvent(() => {
    if (!isFromOtherSite) openOffice()
  })
  useEffect(() => openAtOnce(), [])

  if (state === 'confirm')
    return (
      <SignedOutFrame
        title="Is this your office?"
        lead="This link opens a member’s office without a password. Continue only if the office is yours."
      >
        <form
          className="form-actions"
          onSubmit={(event) => {
            event.preventDefault()
            setState('opening')
            openOffice()
          }}
        >
          <SubmitButton busy={false}>Yes, open my office</SubmitButton>
          <a href="/office">No, sign in instead</a>
        </form>
      </SignedOutFrame>
    )
  if (state === 'opening')
    return (
      <SignedOutFrame
        {...(isFromOtherSite ? { result: 'success' as const } : {})}
        title="Opening your office"
        lead="One moment, please."
      >
        <div className="bar" />
      </SignedOutFrame>
    )
  if (state !== 'expired')
    return (
      <SignedOutFrame result="failure" title="We couldn’t sign you in" lead={state.error}>
        <button type="button" className="button" onClick={() => location.reload()}>
          Try again
        </button>
      </SignedOutFrame>
    )
  if (hasSession)
    return (
      <SignedOutFrame result="failure" title={EXPIRED} lead="You’re already signed in, so you don’t need a new link.">
        <a className="button" href="/office">
          Go to your office
        </a>
      </SignedOutFrame>
    )
  return (
    <SignedOutFrame
      result="failure"
      title={EXPIRED}
      lead="Sign-in links work once and expire after a minute. Please sign in instead."
    >
      <SignInForm />
    </SignedOutFrame>
  )
}

function grantInAddress() {
  const segment = location.pathname.split('/').at(-1) ?? ''
  try {
    return tokenFromAddress(decodeURIComponent(segment))
  } catch {
    return segment // malformed: the server rejects it like any other bad grant
  }
}

const isSignedIn = () =>
  officeApi.getOffice({}).then(
    () => true,
    () => false,
  )
