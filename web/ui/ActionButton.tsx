import { useState } from 'react'
import { DotIcon } from '#web/icons.tsx'
import { errorMessage } from './errorMessage.ts'

/** State for a button that makes one call. It stays busy after success, because the page then changes. */
export function useAction(action: () => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await action()
    } catch (cause) {
      setError(errorMessage(cause))
      setBusy(false)
    }
  }
  return { button: { busy, run }, error }
}

type ActionButtonProps = ReturnType<typeof useAction>['button'] & { children: string; quiet?: boolean }

/** Ignores clicks while the call is running. */
export const ActionButton = ({ busy, run, children, quiet }: ActionButtonProps) => (
  <button
    type="button"
    className={quiet ? 'button quiet' : 'button'}
    aria-busy={busy || undefined}
    onClick={() => busy || run()}
  >
    {children}
    {busy && <DotIcon />}
  </button>
)
