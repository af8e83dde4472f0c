import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { LeaveQuestion } from '#web/ui/FormDialog.tsx'
import { CHANGED, LEAVING, type Leaving, navigate } from '../router.tsx'

type GuardOptions = {
  isUnsaved: () => boolean
  /** Whether the form stays on the screen at this address. */
  staysAt: (address: URL) => boolean
  /** Whether what was typed is kept. */
  isKept: boolean
}

/** Asks before another screen, Back or closing the tab takes a form away that isn't saved. Returns the question. */
export function useLeaveGuard({ isUnsaved, staysAt, isKept }: GuardOptions): ReactNode {
  const [leave, setLeave] = useState<{ go: () => void }>()
  const isSure = useRef(false)
  const loses = useEffectEvent((to: string) => isUnsaved() && !staysAt(new URL(to, location.origin)))
  const warn = useEffectEvent((event: BeforeUnloadEvent) => isUnsaved() && event.preventDefault())
  useEffect(() => {
    let here = location.href
    const onLeaving = (event: Event) => {
      const { to, isBack } = (event as Leaving).detail
      if (isSure.current || !loses(to)) return
      event.preventDefault()
      if (isBack) history.pushState(null, '', here) // the browser is there already
      const goBack = () => {
        isSure.current = true
        history.back()
      }
      setLeave({ go: isBack ? goBack : () => navigate(to, { isSure: true }) })
    }
    const onUnload = (event: BeforeUnloadEvent) => warn(event)
    const remember = () => {
      here = location.href
    }
    addEventListener(LEAVING, onLeaving)
    addEventListener(CHANGED, remember)
    addEventListener('beforeunload', onUnload)
    return () => {
      removeEventListener(LEAVING, onLeaving)
      removeEventListener(CHANGED, remember)
      removeEventListener('beforeunload', onUnload)
    }
  }, [])
  if (!leave) return null
  const stay = () => setLeave(undefined)
  return (
    <LeaveQuestion
      {...(isKept ? { text: 'We keep what you typed in this tab until you save it, discard it or sign out.' } : {})}
      onLeave={() => {
        stay()
        leave.go()
      }}
      onStay={stay}
    />
  )
}
