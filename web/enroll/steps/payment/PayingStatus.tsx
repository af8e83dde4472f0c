import { useState } from 'react'
import { useTimeout } from '#web/useTimeout.ts'

const USUAL_MS = 8_000

type PayingStatusProps = { isPaying: boolean; isOffline: boolean }

/** Above the buttons while a payment is under way. The empty box is always there, so that screen readers hear its text. */
export const PayingStatus = ({ isPaying, isOffline }: PayingStatusProps) => (
  <div className="paying-status" role="status">
    {isPaying && <Progress isOffline={isOffline} />}
  </div>
)

/** Offline another notice speaks, but the time counts. */
function Progress({ isOffline }: { isOffline: boolean }) {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), USUAL_MS)
  if (isOffline) return null
  return isLong
    ? 'Still waiting for your bank. Please keep this page open. You won’t be charged twice.'
    : 'Contacting your bank…'
}
