import { useSyncExternalStore } from 'react'
import { InfoIcon } from './icons.tsx'

/** Says calmly that there is no network. Lies over the page, so nothing moves when it comes and goes. */
export function Offline() {
  const online = useSyncExternalStore(listen, isOnline, () => true)
  return (
    <div className="offline" role="status">
      {!online && (
        <p>
          <InfoIcon />
          You are offline. Nothing is lost.
        </p>
      )}
    </div>
  )
}

const isOnline = () => navigator.onLine

function listen(look: () => void) {
  addEventListener('online', look)
  addEventListener('offline', look)
  return () => {
    removeEventListener('online', look)
    removeEventListener('offline', look)
  }
}
