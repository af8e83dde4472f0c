import { useState } from 'react'
import { useTimeout } from '#web/useTimeout.ts'

const USUAL_MS = 8_000

/** Above the buttons while a payment is under way. The empty box is there before, so that screen readers hear its text. */
export const PayingStatus = ({ isPaying }: { isPaying: boolean }) => (
  <div className="paying-status" role="status">
    {isPaying && <Progress />}
  </div>
)

function Progress() {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), USUAL_MS)
  return isLong
    ? 'Still waiting for your bank. Please keep this page open. You won’t be charged twice.'
    : 'Contacting your bank…'
}
