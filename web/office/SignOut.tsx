import { forgetMember } from '#web/storage.ts'
import { officeApi } from './api.ts'
import { Failure } from './Failure.tsx'
import { goTo } from './goTo.ts'
import { Press, usePress } from './Press.tsx'
import { isSignedOut } from './sentenceOf.ts'

/** Leaves the office in this browser. */
export function SignOut() {
  const { press, failure } = useLeave(() => officeApi.leaveOffice({}), 'You are signed out.')
  return (
    <div>
      <Press quiet {...press}>
        Sign out
      </Press>
      <Failure sentence={failure} />
    </div>
  )
}

/** Leaves it in all of them. */
export function SignOutEverywhere() {
  const { press, failure } = useLeave(
    () => officeApi.leaveEverywhere({}),
    'You are signed out here and in every other browser.',
  )
  return (
    <div>
      <Failure sentence={failure} />
      <div className="everywhere">
        <p>Signed in on a phone or computer that is not in your hands?</p>
        <Press quiet {...press}>
          Sign out everywhere
        </Press>
      </div>
    </div>
  )
}

/** Who is signed out already has left as well. */
const useLeave = (call: () => Promise<unknown>, news: string) =>
  usePress(async () => {
    await call().catch((cause: unknown) => {
      if (!isSignedOut(cause)) throw cause
    })
    forgetMember()
    goTo('/office', news)
  })
