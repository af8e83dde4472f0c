import { useEffect, useMemo, useState } from 'react'
import type { ConsoleSession } from '#contract/console/access.ts'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { Offline } from '#web/ui/Offline.tsx'
import { ProofDialog } from './access/ProofDialog.tsx'
import { SignIn } from './access/SignIn.tsx'
import { Welcome } from './access/Welcome.tsx'
import { ConsoleContext, permissionCheck, plainApi, withProof } from './api.ts'
import { ConsoleLoading } from './ConsoleLoading.tsx'
import { useAddress } from './router.tsx'
import { Screen } from './Screen.tsx'
import { Shell } from './Shell.tsx'

/** Who looks at it decides what is shown: an invitation, the sign-in, or the console itself. */
export function Console() {
  const { path } = useAddress()
  const [session, setSession] = useState<ConsoleSession>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    plainApi.getSession({}).then(setSession, (cause: unknown) => setError(errorMessage(cause)))
  }, [])
  return (
    <>
      <Offline />
      {path === '/console/welcome' ? (
        <Welcome onEnter={setSession} />
      ) : error ? (
        <main className="console-loading">
          <Notice tone="alert">{error}</Notice>
        </main>
      ) : !session ? (
        <ConsoleLoading />
      ) : session.staff ? (
        <SignedIn session={session} onChange={setSession} />
      ) : (
        <SignIn onEnter={setSession} />
      )}
    </>
  )
}

type PendingProof = { resolve: () => void; reject: (cause: Error) => void }

function SignedIn({ session, onChange }: { session: ConsoleSession; onChange: (session: ConsoleSession) => void }) {
  const [proof, setProof] = useState<PendingProof>()
  const api = useMemo(
    () =>
      withProof({
        prove: () => new Promise<void>((resolve, reject) => setProof({ resolve, reject })),
        onSignedOut: () => onChange({ ...session, staff: undefined }),
      }),
    [session, onChange],
  )
  if (!session.staff) return null
  const signedIn = { ...session, staff: session.staff }
  const end = (finish: (proof: PendingProof) => void) => {
    if (proof) finish(proof)
    setProof(undefined)
  }
  return (
    <ConsoleContext value={{ api, session: signedIn, may: permissionCheck(signedIn) }}>
      <Shell onSignOut={() => onChange({ ...session, staff: undefined })}>
        <Screen />
      </Shell>
      {proof && (
        <ProofDialog
          staff={signedIn.staff}
          method={session.method}
          onProved={() => end(({ resolve }) => resolve())}
          onCancel={() => end(({ reject }) => reject(new Error('Nothing was changed.')))}
        />
      )}
    </ConsoleContext>
  )
}
