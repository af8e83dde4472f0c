import { useState } from 'react'
import { officeCalls } from '#contract/office-calls.ts'
import { officeApi } from './api.ts'
import { CallForm, useCallForm } from './CallForm.tsx'
import { NameField } from './SignIn.tsx'
import { Threshold } from './Threshold.tsx'

/** Asks for a letter. What is said then is the same for every name: who is a member here is nobody else's business. */
export function ForgottenPassword() {
  const [state, setState] = useState<'asked' | 'sent' | 'asked again'>('asked')
  if (state === 'sent') return <Sent onAgain={() => setState('asked again')} />
  return <Ask isAgain={state === 'asked again'} onSent={() => setState('sent')} />
}

function Ask({ isAgain, onSent }: { isAgain: boolean; onSent: () => void }) {
  const form = useCallForm({
    rules: officeCalls.forgetPassword.input.shape,
    send: async (answers) => {
      await officeApi.forgetPassword(answers)
      onSent()
    },
  })
  return (
    <Threshold
      {...(isAgain ? { came: 'well' } : {})}
      title="Forgotten your password?"
      lead="Tell us who you are, and we send you a letter with a link to a new one."
    >
      <CallForm form={form} button="Send me the letter" way={<a href="/office">Back to signing in</a>}>
        <NameField {...form.field('name')} enterKeyHint="send" />
      </CallForm>
    </Threshold>
  )
}

const Sent = ({ onAgain }: { onAgain: () => void }) => (
  <Threshold
    came="well"
    title="Look into your mailbox"
    lead="If we know this name, a letter is on its way. Its link works once, and for an hour."
  >
    <p className="aside">
      Nothing there? It may lie among unwanted mail.{' '}
      <button type="button" className="link" onClick={onAgain}>
        Ask again
      </button>
    </p>
    <a className="button quiet" href="/office">
      Back to signing in
    </a>
  </Threshold>
)
