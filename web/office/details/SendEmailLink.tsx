import { useState } from 'react'
import type { OfficeView } from '#contract/office/view.ts'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'

/** Sends the link to the current address, and says so. */
export function SendEmailLink({ view, label }: { view: OfficeView; label: string }) {
  const [state, setState] = useState<'idle' | 'busy' | { message: string }>('idle')
  const send = async () => {
    setState('busy')
    const message = await officeApi.sendEmailLink({ username: view.username }).then(
      () => 'We sent the link. No email? Check your spam folder.',
      (cause: unknown) => errorMessage(cause),
    )
    setState({ message })
  }
  return (
    <>
      <button
        type="button"
        className="link"
        aria-busy={state === 'busy' || undefined}
        onClick={() => state === 'busy' || send()}
      >
        {label}
      </button>
      <span role="status" className="notice-result">
        {typeof state === 'object' && state.message}
      </span>
    </>
  )
}
