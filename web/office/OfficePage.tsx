import { useEffect } from 'react'
import type { OfficeStart } from '#contract/pages.ts'
import { Offline } from '#web/Offline.tsx'
import { ConfirmEmail } from './ConfirmEmail.tsx'
import { Door } from './Door.tsx'
import { ForgottenPassword } from './ForgottenPassword.tsx'
import { useNews } from './goTo.ts'
import { NewPassword } from './NewPassword.tsx'
import { Office } from './Office.tsx'
import { SignIn } from './SignIn.tsx'

/** Every page of the office: rendered ahead by the server, woken up by main.tsx. */
export function OfficePage({ start }: { start: OfficeStart }) {
  useAwake()
  const news = useNews() // heard by all, so that it is not said much later
  return (
    <div className="page">
      <Offline />
      {screenOf(start, news)}
    </div>
  )
}

function screenOf(start: OfficeStart, news: string | undefined) {
  switch (start.screen) {
    case 'office':
      return <Office start={start.view} />
    case 'sign-in':
      return <SignIn news={news} />
    case 'door':
      return <Door isForeign={start.isFromOtherSite} />
    case 'forgotten-password':
      return <ForgottenPassword />
    case 'new-password':
      return <NewPassword />
    case 'confirm-email':
      return <ConfirmEmail />
  }
}

/** A press that came before the script was remembered by early.ts; it is honoured now. */
function useAwake() {
  useEffect(() => {
    document.documentElement.classList.remove('resuming', 'pressed')
    const button = window.pressed
    window.pressed = null
    if (button?.isConnected && button instanceof HTMLButtonElement) button.form?.requestSubmit(button)
  }, [])
}
