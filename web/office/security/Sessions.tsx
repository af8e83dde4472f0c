import { useRef, useState } from 'react'
import { timeWithZoneIn } from '#contract/days.ts'
import type { SecurityView } from '#contract/office/security.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'

export type SecurityProps = { view: SecurityView; onChange: (view: SecurityView) => void }

/** The browsers that are signed in. */
export function Sessions({ view, onChange }: SecurityProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [success, setSuccess] = useState<string>()
  const [error, setError] = useState<string>()
  const others = view.sessions.filter(({ is_this }) => !is_this)

  /** The button that was pressed goes away, so the focus moves to the heading. */
  const end = async (call: () => Promise<SecurityView>, message: string) => {
    if (isBusy) return
    setBusy(true)
    setSuccess(undefined)
    setError(undefined)
    try {
      onChange(await redirectIfSignedOut(call()))
      setSuccess(message)
      heading.current?.focus()
    } catch (cause) {
      setError(errorMessage(cause))
    }
    setBusy(false)
  }

  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions" ref={heading} tabIndex={-1}>
        Where you’re signed in
      </h2>
      <SuccessNotice message={success} />
      <ErrorNotice message={error} />
      <ul className="sessions">
        {view.sessions.map(({ id, device, signed_in_at, used_at, is_this }) => (
          <li key={id}>
            <div>
              <p>
                {device}
                {is_this && <span className="this-one">This browser</span>}
              </p>
              <p className="small">
                Signed in <Time at={signed_in_at} zone={view.time_zone} />
                {!is_this && (
                  <>
                    , last used <Time at={used_at} zone={view.time_zone} />
                  </>
                )}
              </p>
            </div>
            {!is_this && (
              <button
                type="button"
                className="link"
                aria-disabled={isBusy || undefined}
                onClick={() => end(() => officeApi.endSession({ id }), `${device} is signed out.`)}
              >
                Sign out<span className="unseen"> {device}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <button
          type="button"
          className="button quiet"
          aria-disabled={isBusy || undefined}
          onClick={() => end(() => officeApi.endOtherSessions({}), 'All other browsers are signed out.')}
        >
          Sign out all others
        </button>
      )}
      <p className="small">
        A browser is signed out after two hours without use, and after twelve hours in any case. Don’t recognize one?
        Sign it out, and change your password in your office.
      </p>
    </section>
  )
}

const Time = ({ at, zone }: { at: string; zone: string }) => (
  <time dateTime={at}>{timeWithZoneIn(zone, new Date(at))}</time>
)
