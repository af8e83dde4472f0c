import { Notice } from '#web/ui/Notice.tsx'
import type { NetworkWait } from './useNetworkWait.ts'

/** Above the buttons, where Confirm and Pay was pressed: what happens when the network is back. */
export const OfflineNotice = ({ wait: { isSent, stop }, isProvider }: { wait: NetworkWait; isProvider: boolean }) => (
  <Notice role="alert" title="You’re offline.">
    {isSent
      ? `We’ll ask about your payment as soon as you’re back online. ${isProvider ? '' : 'You won’t be charged twice. '}`
      : 'We’ll send your payment as soon as you’re back online. Nothing has been charged. '}
    <button
      type="button"
      className="link"
      onClick={({ currentTarget }) => {
        currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.focus() // this button is about to disappear
        stop()
      }}
    >
      Stop waiting
    </button>
  </Notice>
)
