import { useSyncExternalStore } from 'react'
import { InfoIcon } from '#web/icons.tsx'

/** Shown while the browser is offline. It covers the page, so that nothing moves when it appears. */
export function Offline() {
  const online = useSyncExternalStore(subscribe, isOnline, () => true)
  return (
    <div className="offline" role="status">
      {!online && (
        <p>
          <InfoIcon />
          You’re offline. Nothing you entered is lost.
        </p>
      )}
    </div>
  )
}

const isOnline = () => navigator.onLine

function subscribe(onChange: () => void) {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}
