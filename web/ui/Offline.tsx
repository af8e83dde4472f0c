import { InfoIcon } from '#web/icons.tsx'
import { useOnline } from '#web/useOnline.ts'

/** Shown while the browser is offline. It covers the page, so that nothing moves when it appears. */
export function Offline() {
  const isOnline = useOnline()
  return (
    <div className="offline" role="status">
      {!isOnline && (
        <p>
          <InfoIcon />
          You’re offline. Nothing you entered is lost.
        </p>
      )}
    </div>
  )
}
