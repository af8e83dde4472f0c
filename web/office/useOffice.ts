import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { OfficeView } from '#contract/office/view.ts'

export type Office = ReturnType<typeof useOffice>

/** A section of the office that shows success messages. */
type Section = 'details' | 'membership' | 'payments' | 'referrals'

type Success = {
  section: Section
  message: string
  /** The new data from the server, if it changed. */
  view?: OfficeView | undefined
  /** The id of the element to focus. */
  focus?: string | undefined
}

/** The member's data as the server last sent it, and the latest success message. */
export function useOffice(start: OfficeView) {
  const [view, setView] = useState(start)
  const [success, setSuccess] = useState<Success>()
  return {
    view,
    successIn: (section: Section) => (success?.section === section ? success.message : undefined),
    showSuccess: (success: Success) => {
      flushSync(() => {
        if (success.view) setView(success.view)
        setSuccess(success)
      })
      if (success.focus) document.getElementById(success.focus)?.focus()
    },
    clearSuccess: () => setSuccess(undefined),
  }
}
