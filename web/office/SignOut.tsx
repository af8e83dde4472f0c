import { forgetMember } from '#web/storage.ts'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { officeApi } from './api.ts'
import { isSignedOut } from './callErrors.ts'
import { redirectWithMessage } from './flashMessage.ts'

/** Ends the session of this browser. */
export function SignOut() {
  const { button, error } = useSignOut(() => officeApi.leaveOffice({}), 'You are signed out.')
  return (
    <div>
      <ActionButton quiet {...button}>
        Sign out
      </ActionButton>
      <ErrorNotice message={error} />
    </div>
  )
}

/** Ends every session of the member. */
export function SignOutEverywhere() {
  const { button, error } = useSignOut(
    () => officeApi.leaveEverywhere({}),
    'You are signed out here and in every other browser.',
  )
  return (
    <div>
      <ErrorNotice message={error} />
      <div className="everywhere">
        <p>Still signed in on a device you no longer use?</p>
        <ActionButton quiet {...button}>
          Sign out everywhere
        </ActionButton>
      </div>
    </div>
  )
}

/** A session that has already ended counts as signed out. */
const useSignOut = (call: () => Promise<unknown>, message: string) =>
  useAction(async () => {
    await call().catch((cause: unknown) => {
      if (!isSignedOut(cause)) throw cause
    })
    forgetMember()
    redirectWithMessage('/office', message)
  })
