import { useState } from 'react'
import type { OfficeView } from '#contract/office/view.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { redirectIfSignedOut } from './callErrors.ts'
import type { Office } from './useOffice.ts'

type EmailSwitchProps = {
  office: Office
  name: 'join_emails' | 'renewal_emails'
  section: 'referrals' | 'payments'
  /** 'Email me when …' and what was done: 'We’ll email you when …'. */
  label: string
  done: { on: string; off: string }
  save: (isOn: boolean) => Promise<OfficeView>
}

/** Switches an email on or off. The box shows the choice immediately, and goes back if it wasn't saved. */
export function EmailSwitch({ office, name, section, label, done, save }: EmailSwitchProps) {
  const [choice, setChoice] = useState<boolean>()
  const [error, setError] = useState<string>()
  const change = async (isOn: boolean) => {
    setChoice(isOn)
    setError(undefined)
    office.clearSuccess()
    try {
      const view = await redirectIfSignedOut(save(isOn))
      office.showSuccess({ section, message: isOn ? done.on : done.off, view })
    } catch (cause) {
      setError(errorMessage(cause))
    }
    setChoice(undefined)
  }
  return (
    <div className="email-switch">
      <label className="tick-row">
        <input
          type="checkbox"
          name={name}
          checked={choice ?? office.view[name]}
          aria-busy={choice !== undefined || undefined}
          onChange={({ target }) => choice === undefined && change(target.checked)}
        />
        {label}
      </label>
      <ErrorNotice message={error} />
      <SuccessNotice message={office.successIn(section)} />
    </div>
  )
}
