import { type FocusEvent, type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type * as z from 'zod/mini'
import { readForm } from './readForm.ts'

type Rules = Record<string, z.ZodMiniType>
type Values<Checked extends Rules> = { [Name in keyof Checked]: z.infer<Checked[Name]> }

/** Messages by field, as the server writes them. */
export type Messages = Record<string, string[]>

type Task<Checked extends Rules> = {
  /** One line of the contract for each field, in the order of the screen. */
  rules: Checked
  /** What stands in the fields at first. */
  values: Partial<Record<keyof Checked, string>>
  /** Rules that need more than one field. */
  across?: (values: Record<string, string>) => Partial<Record<keyof Checked, string>>
  /** Everything fits. May answer with messages of the server, which are then shown like our own. */
  onValid: (values: Values<Checked>, pressed: HTMLElement | null) => Promise<Messages | undefined> | undefined
}

export type Form = ReturnType<typeof useForm>

/**
 * A form over the contract's rules. The values live in the DOM and are read when they are needed. Silent while a field is
 * first typed in; on leaving it a word only if it is filled and wrong; once wrong it is checked again with every key.
 */
export function useForm<Checked extends Rules>({ rules, values, across, onValid }: Task<Checked>) {
  const ref = useRef<HTMLFormElement>(null)
  const watched = useRef(new Set<string>())
  const refusals = useRef(new Map<string, { value: string; message: string }>())
  const holds = useRef(0)
  const submitting = useRef(false)
  const pressedMeanwhile = useRef<HTMLElement>(undefined)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [summary, setSummary] = useState<{ name: string; message: string }[]>([])
  const [busy, setBusy] = useState(false)

  const read = (): Record<string, string> => (ref.current ? readForm(ref.current) : {})

  /** Every message that applies to what stands in the form now. */
  const findErrors = (found: Record<string, string>) => {
    const between: Record<string, string | undefined> = across?.(found) ?? {}
    const said = Object.keys(rules).map((name) => {
      const refusal = refusals.current.get(name)
      const refused = refusal?.value === found[name] ? refusal?.message : undefined
      return [name, firstMessage(rules[name], found[name]) ?? between[name] ?? refused] as const
    })
    return Object.fromEntries(said.filter((entry): entry is readonly [string, string] => entry[1] !== undefined))
  }

  const showWatched = () => {
    const found = findErrors(read())
    setErrors(Object.fromEntries(Object.entries(found).filter(([name]) => watched.current.has(name))))
  }

  const onInput = () => {
    if (watched.current.size) showWatched()
  }

  const onBlur = ({ target, relatedTarget }: FocusEvent<HTMLElement>) => {
    const field = target.closest<HTMLElement>('[data-field]')
    const name = field?.dataset.field
    if (!name || field.contains(relatedTarget)) return
    const found = read()
    if (!found[name]?.trim() || !findErrors(found)[name]) return
    watched.current.add(name)
    showWatched()
  }

  /** On Next: each message under its field, the summary above, focus on the first. */
  const explain = (found: Record<string, string>) => {
    const form = ref.current
    const names = form ? inOrder(form, Object.keys(found)) : []
    for (const name of names) watched.current.add(name)
    flushSync(() => {
      setErrors(found)
      setSummary(names.map((name) => ({ name, message: found[name] ?? '' })))
    })
    if (names[0]) focusField(names[0])
  }

  const refuse = (messages: Messages) => {
    const found = read()
    for (const [name, [message]] of Object.entries(messages))
      if (message) refusals.current.set(name, { value: found[name] ?? '', message })
  }

  /** Busy until this has ended. A press in that time is remembered and honoured afterwards. */
  const hold = async <Result>(work: Promise<Result>): Promise<Result> => {
    holds.current += 1
    setBusy(true)
    try {
      return await work
    } finally {
      holds.current -= 1
      if (!holds.current) release()
    }
  }

  const release = () => {
    setBusy(false)
    const button = pressedMeanwhile.current
    pressedMeanwhile.current = undefined
    if (button) ref.current?.requestSubmit(button)
  }

  const submit = async (found: Record<string, string>, pressed: HTMLElement | null) => {
    submitting.current = true
    try {
      const messages = await onValid(parseAll(rules, found), pressed)
      if (!messages) return
      refuse(messages)
      explain(findErrors(read()))
    } finally {
      submitting.current = false
    }
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const pressed = (event.nativeEvent as SubmitEvent).submitter
    if (submitting.current) return
    if (holds.current) {
      pressedMeanwhile.current = pressed ?? undefined
      return
    }
    const found = read()
    const wrong = findErrors(found)
    if (Object.keys(wrong).length) return explain(wrong)
    setErrors({})
    setSummary([])
    hold(submit(found, pressed))
  }

  return {
    props: { ref, noValidate: true, onSubmit, onInput, onBlur },
    /** What a field needs to know: its name, what stands in it at first, and what is wrong with it. */
    field: (name: keyof Checked & string) => ({ name, defaultValue: values[name] ?? '', error: errors[name] }),
    /** What was wrong at the last Next, and whether it has been put right since. */
    summary: summary.map(({ name, message }) => ({ name, message: errors[name] ?? message, done: !errors[name] })),
    busy,
    hold,
    read,
    /** The server's word about what stands in a field now. It goes when the field changes. */
    tell: (name: keyof Checked & string, messages: string[]) => {
      refuse({ [name]: messages })
      watched.current.add(name)
      showWatched()
    },
  }
}

const firstMessage = (rule: z.ZodMiniType | undefined, value: string | undefined) =>
  rule?.safeParse(value).error?.issues[0]?.message

const parseAll = <Checked extends Rules>(rules: Checked, found: Record<string, string>) =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule.parse(found[name])])) as Values<Checked>

const inOrder = (form: HTMLFormElement, names: string[]) => {
  const onScreen = [...form.elements].map((element) => element.getAttribute('name'))
  return names.toSorted((a, b) => onScreen.indexOf(a) - onScreen.indexOf(b))
}

/** Brings a field under the visitor's hands. */
export const focusField = (name: string): void => document.getElementById(name)?.focus()
