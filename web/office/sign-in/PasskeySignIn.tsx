import { hasPasskeys, signWithPasskey } from '#web/credentials/passkeys.ts'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { useHydrated } from '#web/useHydrated.ts'
import { officeApi } from '../api.ts'
import { redirectWithMessage, signedInPath } from '../flashMessage.ts'
import { needsCookies } from '../messages.ts'

type PasskeySignInProps = {
  /** Of a sign-in whose password was right: the browser then offers only this member's passkeys. */
  token?: string
  children: string
}

/** Signs in with a passkey alone. Shown only where the browser has them. */
export function PasskeySignIn({ token, children }: PasskeySignInProps) {
  const isHydrated = useHydrated()
  const { button, error } = useAction(async () => {
    const options = await officeApi.getSignInPasskey(token ? { token } : {})
    await officeApi.signInWithPasskey({ response: await signWithPasskey(options) })
    redirectWithMessage(signedInPath(), needsCookies) // appears only if the member is still signed out there
  })
  if (!isHydrated || !hasPasskeys()) return null
  return (
    <div className="passkey-way">
      <ErrorNotice message={error} />
      <ActionButton quiet={!token} {...button}>
        {children}
      </ActionButton>
    </div>
  )
}
