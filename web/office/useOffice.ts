import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { OfficeView } from '#contract/office/view.ts'
import { RejectedCall } from '#web/call.ts'
import { useTimeout } from '#web/useTimeout.ts'
import { officeApi } from './api.ts'

export type Office = ReturnType<typeof useOffice>

/** A section of the office that shows messages. */
type Section = 'details' | 'membership' | 'payments' | 'referrals'

type Result = {
  section: Section
  message: string
  /** The new data from the server, if it changed. */
  view?: OfficeView | undefined
  /** The id of the element to focus. */
  focus?: string | undefined
  /** Something was saved, but not everything worked. */
  isProblem?: boolean | undefined
}

/** The member's data as the server last sent it, and the message about the latest change. */
export function useOffice(start: OfficeView) {
  const [view, setView] = useState(start)
  const [result, setResult] = useState<Result>()
  const [needsPassword, setNeedsPassword] = useState(start.proof_seconds === 0)
  useTimeout(() => setNeedsPassword(true), view.proof_seconds * 1000)
  const messageIn = (section: Section, isProblem: boolean) =>
    result?.section === section && Boolean(result.isProblem) === isProblem ? result.message : undefined
  return {
    view,
    /** The sign-in is too long ago for a new card or a payment. */
    needsPassword,
    /** A call that may charge. If the server asks for the password, or the amount has changed, the page shows it. */
    charge: async (call: Promise<OfficeView>): Promise<OfficeView> => {
      try {
        return await call
      } catch (cause) {
        const fields = cause instanceof RejectedCall ? cause.fields : {}
        if (fields.current_password) flushSync(() => setNeedsPassword(true))
        if (fields.shown_price) setView(await officeApi.getOffice({}))
        throw cause
      }
    },
    successIn: (section: Section) => messageIn(section, false),
    problemIn: (section: Section) => messageIn(section, true),
    showSuccess: (result: Result) => {
      flushSync(() => {
        if (result.view) setView(result.view)
        setResult(result)
      })
      if (result.focus) document.getElementById(result.focus)?.focus()
    },
    clearSuccess: () => setResult(undefined),
  }
}
