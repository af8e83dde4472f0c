import { useState } from 'react'
import { forgetMember } from '#web/storage.ts'
import { officeApi } from './api.ts'
import { Failure } from './Failure.tsx'
import { goTo } from './goTo.ts'
import { Press } from './Submit.tsx'
import { isSignedOut, sentenceOf } from './sentenceOf.ts'

/** Leaves the office in this browser. */
export function SignOut() {
  const { leave, busy, failure } = useLeave(() => officeApi.leaveOffice({}), 'You are signed out.')
  return (
    <div>
      <Press quiet busy={busy} onPress={leave}>
        Sign out
      </Press>
      <Failure sentence={failure} />
    </div>
  )
}

/** Leaves it in all of them. */
export function SignOutEverywhere() {
  const { leave, busy, failure } = useLeave(
    () => officeApi.leaveEverywhere({}),
    'You are signed out here and in every other browser.',
  )
  return (
    <div>
      <Failure sentence={failure} />
      <div className="everywhere">
        <p>Signed in on a phone or computer that is not in your hands?</p>
        <Press quiet busy={busy} onPress={leave}>
          Sign out everywhere
        </Press>
      </div>
    </div>
  )
}

function useLeave(call: () => Promise<unknown>, news: string) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const goOut = () => {
    forgetMember()
    goTo('/office', news)
  }
  const leave = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await call()
      goOut()
    } catch (cause) {
      if (isSignedOut(cause)) return goOut()
      setFailure(sentenceOf(cause))
      setBusy(false)
    }
  }
  return { leave, busy, failure }
}
