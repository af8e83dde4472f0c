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

/** Offline a different notice is shown, but the time keeps running. While the database moves, no bank is waited for. */
function Progress({ isOffline, isProvider }: ProgressProps) {
  const [isLong, setLong] = useState(false)
  const isMoment = useSyncExternalStore(notice.subscribe, notice.isShown)
  useTimeout(() => setLong(true), isMoment ? undefined : USUAL_MS)
  if (isOffline) return null
  const promise = isProvider ? '' : 'You won’t be charged twice.'
  if (isMoment) return promise || 'Please keep this page open.' // one line, so that the button stays where it is
  if (!isLong) return 'Contacting your bank…'
  return `Still waiting for your bank. Please keep this page open. ${promise}`
}
