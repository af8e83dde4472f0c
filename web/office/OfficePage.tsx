import { useEffect } from 'react'
import type { OfficeStart } from '#contract/pages.ts'
import { Offline } from '#web/ui/Offline.tsx'
import { ConfirmEmail } from './details/ConfirmEmail.tsx'
import { Unsubscribe } from './details/Unsubscribe.tsx'
import { useFlashMessage } from './flashMessage.ts'
import { Office } from './Office.tsx'
import { CreditNote } from './receipt/CreditNote.tsx'
import { Security } from './security/Security.tsx'
import { ForgottenPassword } from './sign-in/ForgottenPassword.tsx'
import { GrantLanding } from './sign-in/GrantLanding.tsx'
import { NewPassword } from './sign-in/NewPassword.tsx'
import { SignIn } from './sign-in/SignIn.tsx'

/** Every page of the office: rendered by the server, hydrated by main.tsx. */
export function OfficePage({ start }: { start: OfficeStart }) {
  useEarlyPress()
  const message = useFlashMessage() // read on every screen, so that an old message does not appear later
  return (
    <div className="page">
      <Offline />
      {renderScreen(start, message)}
    </div>
  )
}

function renderScreen(start: OfficeStart, message: string | undefined) {
  switch (start.screen) {
    case 'office':
      return <Office start={start.view} />
    case 'security':
      return <Security start={start.view} />
    case 'credit-note':
      return <CreditNote note={start.note} />
    case 'sign-in':
      return <SignIn message={message} />
    case 'grant-landing':
      return <GrantLanding isFromOtherSite={start.isFromOtherSite} />
    case 'forgotten-password':
      return <ForgottenPassword />
    case 'new-password':
      return <NewPassword asksCard={start.asksCard} />
    case 'confirm-email':
      return <ConfirmEmail />
    case 'unsubscribe':
      return <Unsubscribe state={start.state} />
  }
}

/** Repeats what was pressed before hydration; early.ts remembered the button. */
function useEarlyPress() {
  useEffect(() => {
    document.documentElement.classList.remove('resuming', 'pressed')
    const button = window.pressed
    window.pressed = null
    if (button?.isConnected) button.click()
  }, [])
}
