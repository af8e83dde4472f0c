import { useState, useSyncExternalStore } from 'react'
import { notice } from '#web/moment/notice.ts'
import { useTimeout } from '#web/useTimeout.ts'

const USUAL_MS = 8_000

type PayingStatusProps = { isPaying: boolean } & ProgressProps
type ProgressProps = {
  isOffline: boolean
  /** An operator's host charges, and can't promise that its answer arrives. */
  isProvider: boolean
}

/** Above the buttons while a payment is under way. The empty box is always there, so that screen readers hear its text. */
export const PayingStatus = ({ isPaying, ...progress }: PayingStatusProps) => (
  <div className="paying-status" role="status">
    {isPaying && <Progress {...progress} />}
  </div>
)

/** Offline a different notice is shown, but the time keeps running. */
function Progress({ isOffline, isProvider }: ProgressProps) {
  const [isLong, setLong] = useState(false)
  const isMoment = useSyncExternalStore(notice.subscribe, notice.isShown)
  useTimeout(() => setLong(true), isMoment ? undefined : USUAL_MS)
  if (isOffline) return null
  if (!isLong && !isMoment) return 'Contacting your bank…'
  const waitsFor = isMoment ? '' : 'Still waiting for your bank. '
  return `${waitsFor}Please keep this page open. ${isProvider ? '' : 'You won’t be charged twice.'}`
}
