import { type FocusEvent, type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type * as z from 'zod/mini'
import { focusField } from './focusField.ts'
import { onEnter } from './onEnter.ts'
import { readForm } from './readForm.ts'

type Rules = Record<string, z.ZodMiniType>
type FormValues = Record<string, string>
type Values<Checked extends Rules> = { [Name in keyof Checked]: z.infer<Checked[Name]> }

/** Messages by field, as the server writes them. */
export type Messages = Record<string, string[]>

type FormOptions<Checked extends Rules> = {
  /** One line of the contract for each field. Not needed to type, so they may come later; undefined if they cannot. */
  rules: () => Checked | Promise<Checked | undefined>
  /** What stands in the fields at first. */
  values: Partial<Record<keyof Checked, string>>
  /** Messages of the server that brought the visitor here; shown at once. */
  serverMessages?: Messages | undefined
  /** Fields that `onValid` asks the server about: what it said before stands until it answers, and stops nobody from asking. */
  checkedByServer?: string[]
  /** Rules that need more than one field. */
  crossFieldRules?: (values: FormValues) => Partial<Record<keyof Checked, string | undefined>>
  /**
   * Everything fits. May answer with messages of the server, which are then shown like our own; or that all is to be gone
   * through again, because it has changed meanwhile.
   */
  onValid: (values: Values<Checked>, pressed: HTMLElement | null) => Promise<Messages | 'again' | undefined>
}

/** As good as empty. */
const UNTICKED = '[type=checkbox]:not(:checked)'

const none: FormValues = {}
const nothing: { message: string; names: string[] }[] = []

export type Form = ReturnType<typeof useForm>

/**
 * A form over the contract's rules. The values live in the DOM and are read when they are needed. Silent while a field is
 * first typed in; on leaving it a word only if it is filled and wrong; once wrong it is checked again with every key.
 */
export function useForm<Checked extends Rules>({
  rules,
  values,
  serverMessages,
  checkedByServer: lookedUp = [],
  crossFieldRules: across,
  onValid,
}: FormOptions<Checked>) {
  const ref = useRef<HTMLFormElement>(null)
  const known = useRef<Checked>(undefined)
  const watched = useRef(new Set<string>())
  const refusals = useRef(new Map<string, { value: string; messages: string[] }>())
  const holds = useRef(0)
  const submitting = useRef<HTMLElement | null>(undefined)
  const pressedMeanwhile = useRef<HTMLElement>(undefined)
  const [errors, setErrors] = useState<FormValues>(none)
  const [summary, setSummary] = useState(nothing)
  const [busy, setBusy] = useState(false)

  const read = (): FormValues => (ref.current ? readForm(ref.current) : {})

  /** The rules, without a turn of the loop if they are here. */
  const learn = (): Checked | undefined | Promise<Checked | undefined> => {
    const found = known.current ?? rules()
    return found instanceof Promise ? found.then(keep) : keep(found)
  }
  const keep = (found: Checked | undefined) => {
    known.current = found
    return found
  }
  const begin = useEffectEvent(async (messages: Messages | undefined) => {
    if (!messages || !(await learn())) return
    refuse(messages)
    explain(findErrors(read()))
  })
  useEffect(() => {
    begin(serverMessages)
  }, [serverMessages])

  /** What the server last said against what stands in a field now. */
  const serverMessagesFor = (name: string, found = read()): string[] | undefined => {
    const refusal = refusals.current.get(name)
    return refusal?.value === found[name] ? refusal?.messages : undefined
  }

  /** What stands in the form as the rules read it, and every message that applies to it, but for what was said of `forgiven`. */
  const check = (found: FormValues, forgiven: string[] = []) => {
    const between: Record<string, string | undefined> = across?.(found) ?? {}
    const values: Record<string, unknown> = {}
    const wrong: FormValues = {}
    for (const [name, rule] of Object.entries<z.ZodMiniType>(known.current ?? {})) {
      const { data, error } = rule.safeParse(found[name])
      const refused = forgiven.includes(name) ? undefined : serverMessagesFor(name, found)
      const message = refused?.[0] ?? error?.issues[0]?.message ?? between[name]
      if (message === undefined) values[name] = data
      else wrong[name] = message
    }
    return { values: values as Values<Checked>, wrong }
  }
  const findErrors = (found: FormValues): FormValues => check(found).wrong

  const showWatched = () => {
    if (!watched.current.size) return
    setErrors(Object.fromEntries(Object.entries(findErrors(read())).filter(([name]) => watched.current.has(name))))
  }

  const onBlur = async ({ target, relatedTarget }: FocusEvent<HTMLElement>) => {
    const field = target.closest<HTMLElement>('[data-field]')
    const name = field?.dataset.field
    if (!name || field.contains(relatedTarget) || field.closest('[hidden]') || !(await learn())) return
    const found = read()
    if (!found[name]?.trim() || field.querySelector(UNTICKED) || !findErrors(found)[name]) return
    watched.current.add(name)
    showWatched()
  }

  /** On Next: each message under its field, the summary above, focus on the first. */
  const explain = (wrong: FormValues) => {
    const names = inOrder(ref.current, Object.keys(wrong))
    for (const name of names) watched.current.add(name)
    flushSync(() => {
      setErrors(wrong)
      setSummary(
        [...new Set(names.map((name) => wrong[name] ?? ''))].map((message) => ({
          message,
          names: names.filter((name) => wrong[name] === message),
        })),
      )
    })
    if (names[0]) focusField(names[0])
  }

  const refuse = (messages: Messages) => {
    const found = read()
    for (const [name, said] of Object.entries(messages))
      refusals.current.set(name, { value: found[name] ?? '', messages: said })
  }

  /** Busy until this has ended. A press in that time is remembered and honoured afterwards. */
  const busyWhile = async <Result>(work: Promise<Result>): Promise<Result> => {
    holds.current += 1
    const soon = setTimeout(() => setBusy(true)) // what is done at once never was
    try {
      return await work
    } finally {
      clearTimeout(soon)
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

  const submit = async (pressed: HTMLElement | null): Promise<void> => {
    const rules = learn()
    if (rules instanceof Promise ? !(await rules) : !rules) return // nothing between the press and the next screen that need not be
    const { values, wrong } = check(read(), lookedUp)
    const told = findErrors(read())
    if (Object.keys(wrong).length) return explain(told)
    if (!Object.keys(told).length) {
      setErrors(none)
      setSummary(nothing)
    }
    const messages = await onValid(values, pressed)
    if (messages === 'again') return submit(pressed)
    for (const name of lookedUp) refusals.current.delete(name)
    if (!messages) return showWatched()
    refuse(messages)
    explain(findErrors(read()))
  }

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const pressed = (event.nativeEvent as SubmitEvent).submitter
    // A second press means the same as the first one, unless it is on another button; a press during other work is the first.
    if (submitting.current === pressed) return
    if (holds.current && !submitting.current) {
      pressedMeanwhile.current = pressed ?? undefined
      return
    }
    submitting.current = pressed
    await busyWhile(submit(pressed)).finally(() => {
      if (submitting.current === pressed) submitting.current = undefined
    })
  }

  return {
    props: { ref, noValidate: true, onSubmit, onInput: showWatched, onKeyDown: onEnter, onBlur },
    /** What a field needs to know: its name, what stands in it at first, and what is wrong with it. */
    field: (name: keyof Checked & string) => ({ name, defaultValue: values[name] ?? '', error: errors[name] }),
    /** What was wrong at the last Next, the same words once, the first field that still is, and whether none is since. */
    summary: summary.map(({ message, names }) => {
      const name = names.find((name) => errors[name]) ?? names[0] ?? ''
      return { name, message: errors[name] ?? message, done: !errors[name] }
    }),
    busy,
    busyWhile,
    serverMessagesFor,
    /** The server's word about what stands in a field now. It goes when the field changes. */
    showServerMessages: (name: keyof Checked & string, messages: string[]) => {
      learn()
      refuse({ [name]: messages })
      watched.current.add(name)
      showWatched()
    },
  }
}

/** As they stand on the screen, which is the order in which people correct them. */
const inOrder = (form: HTMLFormElement | null, names: string[]) => {
  const onScreen = [...(form?.elements ?? [])].map((element) => element.getAttribute('name'))
  return names.toSorted((a, b) => onScreen.indexOf(a) - onScreen.indexOf(b))
}
