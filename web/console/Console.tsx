import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { ConsoleSession } from '#contract/console/access.ts'
import { forgetConsoleDrafts } from '#web/storage.ts'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { Offline } from '#web/ui/Offline.tsx'
import { ProofDialog } from './access/ProofDialog.tsx'
import { SignIn, SignInAgain } from './access/SignIn.tsx'
import { Welcome } from './access/Welcome.tsx'
import { ConsoleContext, permissionCheck, plainApi, withProof } from './api.ts'
import { ConsoleLoading } from './ConsoleLoading.tsx'
import { useAddress, useBackButton } from './router.tsx'
import { Screen } from './Screen.tsx'
import { Shell } from './Shell.tsx'
import { useRefresh, useTyping } from './useActivity.ts'

/** Who looks at it decides what is shown: an invitation, the sign-in, or the console itself. */
export function Console() {
  useBackButton()
  const { path } = useAddress()
  const [session, setSession] = useState<ConsoleSession>()
  const [error, setError] = useState<string>()
  const change = (next: ConsoleSession) => {
    if (session?.staff || next.staff) forgetConsoleDrafts(next.staff?.id)
    setSession(next)
  }
  const begin = useEffectEvent(change)
  useEffect(() => {
    plainApi.getSession({}).then(begin, (cause: unknown) => setError(errorMessage(cause)))
  }, [])
  return (
    <>
      <Offline />
      {path === '/console/welcome' ? (
        <Welcome onEnter={change} />
      ) : error ? (
        <main className="console-loading">
          <Notice tone="alert">{error}</Notice>
        </main>
      ) : !session ? (
        <ConsoleLoading />
      ) : session.staff ? (
        // a different colleague may have signed in in another tab: drop what was typed and loaded here
        <SignedIn key={session.staff.id} session={session} onChange={change} />
      ) : (
        <SignIn onEnter={change} />
      )}
    </>
  )
}

/** What a call waits for. Calls that need the same thing share one wait. */
type Question = {
  kind: 'proof' | 'session'
  answer: Promise<void>
  resolve: () => void
  reject: (cause: Error) => void
}

function questionOf(kind: Question['kind'], earlier: Question | undefined): Question {
  const question = { kind } as Question
  question.answer = new Promise<void>((resolve, reject) => Object.assign(question, { resolve, reject }))
  if (earlier) question.answer.then(earlier.resolve, earlier.reject)
  return question
}

function SignedIn({ session, onChange }: { session: ConsoleSession; onChange: (session: ConsoleSession) => void }) {
  const [question, setQuestion] = useState<Question>()
  const [changes, setChanges] = useState(0)
  const open = useRef<Question>(undefined)
  const api = useMemo(() => {
    const ask = (kind: Question['kind']): Promise<void> => {
      const earlier = open.current
      if (earlier?.kind === kind || earlier?.kind === 'session') return earlier.answer // signing in is a proof too
      open.current = questionOf(kind, earlier)
      setQuestion(open.current)
      return open.current.answer
    }
    return withProof({
      prove: () => ask('proof'),
      signInAgain: () => ask('session'),
      onChanged: () => setChanges(addOne),
    })
  }, [])
  const refresh = () => {
    if (open.current) return // someone is signing in
    api.getStatus({}, { waitMs: 0 }).then(onChange, () => undefined) // the next one may get through
  }
  const refreshNow = useEffectEvent(refresh)
  useEffect(() => {
    if (changes) refreshNow()
  }, [changes])
  useRefresh(refresh)
  useTyping(reportUse)
  if (!session.staff) return null
  const signedIn = { ...session, staff: session.staff }
  const end = (finish: (question: Question) => void) => {
    if (question) finish(question)
    open.current = undefined
    setQuestion(undefined)
  }
  const refuse = (cause: string) => end(({ reject }) => reject(new Error(cause)))
  const leave = () => onChange({ ...session, staff: undefined })
  const enterAgain = (next: ConsoleSession) => {
    onChange(next)
    if (next.staff?.id === signedIn.staff.id) end(({ resolve }) => resolve()) // don't send one colleague's call as someone else
  }
  return (
    <ConsoleContext value={{ api, session: signedIn, may: permissionCheck(signedIn) }}>
      <Shell onSignOut={leave}>
        <Screen />
      </Shell>
      {question?.kind === 'proof' && (
        <ProofDialog
          staff={signedIn.staff}
          method={session.method}
          onProved={() => end(({ resolve }) => resolve())}
          onCancel={() => refuse('Nothing was changed.')}
        />
      )}
      {question?.kind === 'session' && (
        <SignInAgain
          onEnter={enterAgain}
          onLeave={() => {
            refuse('You are signed out.')
            leave()
          }}
        />
      )}
    </ConsoleContext>
  )
}

const addOne = (count: number) => count + 1

/** Any call keeps the session alive. */
const reportUse = () => {
  plainApi.getSession({}, { waitMs: 0 }).catch(() => undefined) // the next one may get through
}
