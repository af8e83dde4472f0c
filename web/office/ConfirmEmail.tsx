import { useState } from 'react'
import { officeApi } from './api.ts'
import { CallForm, useCallForm } from './CallForm.tsx'
import { maybeConfirmed } from './messages.ts'
import { OldWord } from './OldWord.tsx'
import { isSpent } from './sentenceOf.ts'
import { Threshold } from './Threshold.tsx'
import { useWord, wordInAddress } from './useWord.ts'

/** Where the letter to a new address leads. One press, because programs that look into letters open every link. */
export function ConfirmEmail() {
  const word = useWord()
  const [email, setEmail] = useState<string>()
  const form = useCallForm({
    rules: {},
    send: async () => setEmail((await officeApi.confirmEmail({ token: wordInAddress() })).email),
  })
  if (email)
    return (
      <Threshold came="well" title="Your address is confirmed" lead={`From now on our letters go to ${email}.`}>
        {office}
      </Threshold>
    )
  if (isSpent(form.failure?.cause) && form.isDoubtful) return <OldWord {...maybeConfirmed}>{office}</OldWord>
  if (word === '' || isSpent(form.failure?.cause)) return <OldWord sentence={form.failure?.sentence}>{office}</OldWord>
  return (
    <Threshold title="Your new address" lead="One press, and our letters go here from now on.">
      <CallForm form={form} button="Confirm my new address" />
    </Threshold>
  )
}

const office = (
  <a className="button" href="/office">
    Go to your office
  </a>
)
