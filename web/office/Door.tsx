import { useEffect, useEffectEvent, useState } from 'react'
import { tokenFromAddress } from '#contract/office.ts'
import { RejectedCall } from '#web/call.ts'
import { officeApi } from './api.ts'
import { goTo } from './goTo.ts'
import { needsCookies } from './messages.ts'
import { SignInForm } from './SignIn.tsx'
import { sentenceOf } from './sentenceOf.ts'
import { Threshold } from './Threshold.tsx'

const OLD = 'This key no longer opens'

type State = 'asked' | 'opening' | 'used' | { failed: string }

/**
 * Where a grant is spent. The script posts it, so that no scanner can, and leaves its address behind. Who was not led here by our
 * own page is asked first: somebody may want them to write into an office that is not theirs.
 */
export function Door({ isForeign }: { isForeign?: true | undefined }) {
  const [state, setState] = useState<State>(isForeign ? 'asked' : 'opening')
  const [isInside, setInside] = useState(false)

  const enter = async () => {
    try {
      await officeApi.enterOffice({ token: grantInAddress() })
      goTo('/office', needsCookies) // which is said where nobody is signed in
    } catch (cause) {
      setInside(await isSignedIn())
      setState(cause instanceof RejectedCall && cause.status === 401 ? 'used' : { failed: sentenceOf(cause) })
    }
  }
  const enterUnasked = useEffectEvent(() => {
    if (!isForeign) enter()
  })
  useEffect(() => enterUnasked(), [])

  if (state === 'asked')
    return (
      <Threshold
        title="Is this your office?"
        lead="This link opens the office of the member it was made for, without a password. Go on only if that is you."
      >
        <div className="ways">
          <button
            type="button"
            className="button"
            onClick={() => {
              setState('opening')
              enter()
            }}
          >
            Yes, open my office
          </button>
          <a href="/office">No, sign in instead</a>
        </div>
      </Threshold>
    )
  if (state === 'opening')
    return (
      <Threshold
        {...(isForeign ? { came: 'well' as const } : {})}
        title="Opening your office"
        lead="One moment, please."
      >
        <div className="bar" />
      </Threshold>
    )
  if (state !== 'used')
    return (
      <Threshold came="badly" title="The door is stuck" lead={state.failed}>
        <button type="button" className="button" onClick={() => location.reload()}>
          Try again
        </button>
      </Threshold>
    )
  if (isInside)
    return (
      <Threshold came="badly" title={OLD} lead="You are signed in already, so you need no other.">
        <a className="button" href="/office">
          Go to your office
        </a>
      </Threshold>
    )
  return (
    <Threshold
      came="badly"
      title={OLD}
      lead="A link into the office works once, and for a minute. Please sign in instead."
    >
      <SignInForm />
    </Threshold>
  )
}

function grantInAddress() {
  const written = location.pathname.split('/').at(-1) ?? ''
  try {
    return tokenFromAddress(decodeURIComponent(written))
  } catch {
    return written // not ours, and refused like any other
  }
}

const isSignedIn = () =>
  officeApi.getOffice({}).then(
    () => true,
    () => false,
  )
