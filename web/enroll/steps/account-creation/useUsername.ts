import { type FormEvent, useEffect, useRef, useState } from 'react'
import { figures } from '#contract/figures.ts'
import { api } from '#web/api.ts'
import type { useForm } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import type { Draft } from '#web/storage.ts'
import { fieldRules } from '../../wizard/rules.ts'

type UsernameForm = Pick<
  ReturnType<typeof useForm<typeof fieldRules.ACCOUNT_CREATION>>,
  'busyWhile' | 'serverMessagesFor' | 'showServerMessages'
>

const INVALID_CHARACTERS = /[^a-z0-9]/g
const LEFT_OUT = 'Only letters (a-z) and numbers. Other characters are left out.'

/** Letters that people spell with others where they cannot type them. All other accents are only removed. */
const spellings: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
}

const noStatus = { text: '', isVisible: false }
const noNames: string[] = []
const ANNOUNCEMENT_MS = 3_000

/** A username field that keeps only lowercase letters and digits. Looks the name up when typing pauses and on blur. */
export function useUsername(form: UsernameForm) {
  const pauseTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const currentValue = useRef('')
  const lastLookup = useRef('')
  const availableNames = useRef(new Set<string>())
  const [status, setStatus] = useState(noStatus)
  const [suggestions, setSuggestions] = useState(noNames)
  const [proposal, setProposal] = useState<string>()

  useEffect(
    () => () => {
      clearTimeout(pauseTimer.current)
      currentValue.current = '' // no answer is wanted any longer
    },
    [],
  )

  /**
   * Why the server rejects a username; undefined if it is available. A rejected one is looked up again, since it may have
   * become available. If the lookup fails, the last answer is used.
   */
  const check = async (username: string): Promise<string[] | undefined> => {
    currentValue.current = username
    if (availableNames.current.has(username)) return undefined
    try {
      const reply = await api.validateUsername({ username }, { isWanted: () => currentValue.current === username })
      if (currentValue.current === username) setSuggestions(reply.suggestions ?? noNames)
      if (reply.username !== 'Available') return reply.username
      availableNames.current.add(username)
      return undefined
    } catch (cause) {
      log('The username could not be looked up.', cause)
      return form.serverMessagesFor('username')
    }
  }

  /** As the spec says, the button stays busy for a second after an available username. */
  const lookUp = async (username: string) => {
    const messages = await check(username)
    if (currentValue.current !== username) return
    const isAvailable = availableNames.current.has(username)
    if (isAvailable) setStatus({ text: `${username} is available.`, isVisible: true })
    if (messages?.[0]) announce(messages[0])
    if (messages) form.showServerMessages('username', messages)
    if (!messages && !isAvailable) lastLookup.current = '' // the lookup failed: try again later
    if (isAvailable) await new Promise((resolve) => setTimeout(resolve, figures.button_back_ms))
  }

  /** Briefly, for screen readers. Later they read the message under the field. */
  const announce = (text: string) => {
    const announcement = { text, isVisible: false }
    setStatus(announcement)
    setTimeout(() => setStatus((current) => (current === announcement ? noStatus : current)), ANNOUNCEMENT_MS)
  }

  const lookUpOnce = (username: string) => {
    clearTimeout(pauseTimer.current)
    const isValid = fieldRules.ACCOUNT_CREATION.username.safeParse(username).success
    if (!isValid || lastLookup.current === username) return
    lastLookup.current = username
    form.busyWhile(lookUp(username))
  }

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const field = event.currentTarget
    if ((event.nativeEvent as InputEvent).isComposing) return
    const hasLeftOut = removeInvalidCharacters(field)
    currentValue.current = field.value
    lastLookup.current = ''
    setStatus(hasLeftOut ? { text: LEFT_OUT, isVisible: true } : noStatus)
    setSuggestions(noNames)
    setProposal(undefined)
    clearTimeout(pauseTimer.current)
    if (field.value.length >= figures.username_checked_from)
      pauseTimer.current = setTimeout(() => lookUpOnce(field.value), figures.username_pause_ms)
  }
  return {
    check,
    /** For a polite live region. */
    status,
    /** Free names like the one that is taken. */
    suggestions,
    /** A username for someone who has not entered one. */
    proposal,
    propose: (username: string | undefined) => setProposal(currentValue.current ? undefined : username),
    input: {
      onInput,
      onCompositionEnd: onInput,
      onBlur: (event: FormEvent<HTMLInputElement>) => {
        removeInvalidCharacters(event.currentTarget)
        currentValue.current = event.currentTarget.value
        lookUpOnce(event.currentTarget.value)
      },
    },
  }
}

/** For a name that cannot be spelled with a-z, such as an Arabic or Chinese one: a username from the email address. */
export function usernameFrom({ first_name = '', last_name = '' }: Draft, email: string): string | undefined {
  const [name, mailbox] = [first_name + last_name, email.split('@')[0] ?? ''].map((text) =>
    spell(text).replace(INVALID_CHARACTERS, '').slice(0, figures.username_length),
  )
  const isUseful = (text = '') => text.length >= figures.username_checked_from
  return !isUseful(name) && isUseful(mailbox) ? mailbox : undefined
}

/** Keeps the caret where it was. Returns whether something could not be spelled otherwise. */
function removeInvalidCharacters(field: HTMLInputElement): boolean {
  const spelled = spell(field.value)
  const value = spelled.replace(INVALID_CHARACTERS, '')
  if (value === field.value) return false
  const typedBefore = field.value.slice(0, field.selectionStart ?? field.value.length)
  const caret = spell(typedBefore).replace(INVALID_CHARACTERS, '').length
  field.value = value
  field.setSelectionRange(caret, caret)
  return value !== spelled
}

/** 'Zoë Müller' → 'zoe mueller' */
export const spell = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFC')
    .replace(/[äöüßæœøłđ]/g, (letter) => spellings[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
