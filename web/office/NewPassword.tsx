import { officeCalls } from '#contract/office-calls.ts'
import { passwordProblem } from '#contract/password.ts'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { officeApi } from './api.ts'
import { CallForm, useCallForm } from './CallForm.tsx'
import { goTo } from './goTo.ts'
import { maybeSet } from './messages.ts'
import { OldWord } from './OldWord.tsx'
import { isSpent } from './sentenceOf.ts'
import { Threshold } from './Threshold.tsx'
import { useWord, wordInAddress } from './useWord.ts'

/** Where the letter about a forgotten password leads. */
export function NewPassword() {
  const word = useWord()
  const { password } = officeCalls.resetPassword.input.shape
  const form = useCallForm({
    rules: { password },
    across: (found) => ({ password: passwordProblem(found.password ?? '', {}) }),
    send: async (answers) => {
      await officeApi.resetPassword({ ...answers, token: wordInAddress() })
      goTo('/office', 'Your new password is set. Please sign in with it.')
    },
  })
  if (isSpent(form.failure?.cause) && form.isDoubtful)
    return (
      <OldWord {...maybeSet}>
        <div className="ways">
          <a className="button" href="/office">
            Sign in
          </a>
          <a href="/office/forgotten-password">Ask for another letter</a>
        </div>
      </OldWord>
    )
  if (word === '' || isSpent(form.failure?.cause))
    return (
      <OldWord sentence={form.failure?.sentence}>
        <a className="button" href="/office/forgotten-password">
          Ask for another letter
        </a>
      </OldWord>
    )
  return (
    <Threshold title="Choose a new password" lead="You sign in with it right after. Every browser is signed out.">
      <CallForm form={form} button="Save my new password">
        <PasswordField {...form.field('password')} label="New password" autoComplete="new-password" enterKeyHint="go" />
      </CallForm>
    </Threshold>
  )
}
