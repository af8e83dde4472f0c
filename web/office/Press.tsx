import { useState } from 'react'
import { DotIcon } from '#web/icons.tsx'
import { sentenceOf } from './sentenceOf.ts'

/** A press that makes a call. Busy until it fails: what it leads to takes its place. */
export function usePress(work: () => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const onPress = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
    } catch (cause) {
      setFailure(sentenceOf(cause))
      setBusy(false)
    }
  }
  return { press: { busy, onPress }, failure }
}

type PressProps = ReturnType<typeof usePress>['press'] & { children: string; quiet?: boolean }

/** Its button. A second press while it runs means the same. */
export const Press = ({ busy, onPress, children, quiet }: PressProps) => (
  <button
    type="button"
    className={quiet ? 'button quiet' : 'button'}
    aria-busy={busy || undefined}
    onClick={() => busy || onPress()}
  >
    {children}
    {busy && <DotIcon />}
  </button>
)
