import { ask } from '#web/dialog/ask.ts'
import { focusField } from '#web/form/Field.tsx'
import { codeSent } from './dialogs.ts'

/** Shows 'Code Sent'. Whoever types, pastes or fills in the code meanwhile closes it, and nothing of the code is lost. */
export async function showCodeSent(): Promise<void> {
  const typing = new AbortController()
  const closing = new AbortController()
  const { signal } = closing
  const goToField = () => {
    typing.abort()
    focusField('code') // before the key takes effect, so that it goes there
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isCodeKey(event)) goToField()
  }
  addEventListener('keydown', onKeyDown, { signal, capture: true })
  document.getElementById('code')?.addEventListener('input', goToField, { signal })
  await ask({ ...codeSent, signal: typing.signal }).finally(() => closing.abort())
}

const isCodeKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey || metaKey ? key.toLowerCase() === 'v' : !altKey && /^\d$/.test(key)
