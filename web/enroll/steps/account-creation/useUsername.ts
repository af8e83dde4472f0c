import { type FormEvent, useEffect, useRef, useState } from 'react'
import { figures } from '#contract/figures.ts'
import { api } from '#web/api.ts'
import { asked } from '#web/enroll/wizard/rules.ts'
import type { useForm } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'

type UsernameForm = Pick<
  ReturnType<typeof useForm<typeof asked.ACCOUNT_CREATION>>,
  'busyWhile' | 'serverMessagesFor' | 'showServerMessages'
>

const WANTED = /[^a-z0-9]/g
const silence = { said: '', isFree: false }
const UNTIL_HEARD = 3_000

/** A username as it is typed: small letters and digits only, looked up when the typing pauses and when the field is left. */
export function useUsername(form: UsernameForm) {
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const newest = useRef('')
  const told = useRef('')
  const free = useRef(new Set<string>())
  const [news, setNews] = useState(silence)

  useEffect(() => () => clearTimeout(pause.current), [])

  /**
   * The server's messages against a username, undefined when it is free. One that was taken may be free by now, and is asked
   * about again. A lookup that fails is only logged, and what was said before holds.
   */
  const check = async (username: string): Promise<string[] | undefined> => {
    if (free.current.has(username)) return undefined
    try {
      const answer = await api.validateUsername({ username })
      if (answer.username !== 'Available') return answer.username
      free.current.add(username)
      return undefined
    } catch (cause) {
      log('The username could not be looked up.', cause)
      return form.serverMessagesFor('username')
    }
  }

  /** Looks up and tells. The button rests for the spec's second after a username turns out to be free. */
  const lookUp = async (username: string) => {
    const messages = await check(username)
    if (newest.current !== username) return
    const isFree = free.current.has(username)
    if (isFree) setNews({ said: `${username} is available.`, isFree })
    if (messages?.[0]) sayOnce(messages[0])
    if (messages) form.showServerMessages('username', messages)
    if (!messages && !isFree) told.current = '' // nobody could say
    if (isFree) await new Promise((resolve) => setTimeout(resolve, figures.button_back_ms))
  }

  /** For ears alone, and not for long: the message stands under the field, and who reads on there would hear it twice. */
  const sayOnce = (said: string) => {
    const taken = { said, isFree: false }
    setNews(taken)
    setTimeout(() => setNews((now) => (now === taken ? silence : now)), UNTIL_HEARD)
  }

  const lookUpOnce = (username: string) => {
    clearTimeout(pause.current)
    const fits = asked.ACCOUNT_CREATION.username.safeParse(username).success
    if (!fits || told.current === username) return
    told.current = username
    form.busyWhile(lookUp(username))
  }

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const field = event.currentTarget
    if ((event.nativeEvent as InputEvent).isComposing) return
    tidy(field)
    newest.current = field.value
    told.current = ''
    setNews(silence)
    clearTimeout(pause.current)
    if (field.value.length >= figures.username_checked_from)
      pause.current = setTimeout(() => lookUpOnce(field.value), figures.username_pause_ms)
  }
  return {
    check,
    /** For a polite live region. */
    news,
    input: {
      onInput,
      onCompositionEnd: onInput,
      onBlur: (event: FormEvent<HTMLInputElement>) => {
        tidy(event.currentTarget)
        newest.current = event.currentTarget.value
        lookUpOnce(event.currentTarget.value)
      },
    },
  }
}

/** Takes out what does not belong in, and leaves the caret where it was. */
function tidy(field: HTMLInputElement) {
  const clean = (text: string) => text.toLowerCase().replace(WANTED, '')
  const value = clean(field.value)
  if (value === field.value) return
  const caret = clean(field.value.slice(0, field.selectionStart ?? field.value.length)).length
  field.value = value
  field.setSelectionRange(caret, caret)
}
