import { type FocusEvent, type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type * as z from 'zod/mini'
import { focusField } from './Field.tsx'
import { readForm } from './readForm.ts'

type Rules = Record<string, z.ZodMiniType>
type FormValues = Record<string, string>
type ParsedValues<FormRules extends Rules> = { [Name in keyof FormRules]: z.infer<FormRules[Name]> }

/** Messages by field, as the server sends them. */
export type Messages = Record<string, string[]>

type FormOptions<FormRules extends Rules> = {
  /** The contract's rule for each field. They may load after the form is shown; undefined if they cannot be loaded. */
  rules: () => FormRules | Promise<FormRules | undefined>
  /** The initial values. */
  values: Partial<Record<keyof FormRules, string>>
  /** Messages from an earlier answer of the server, shown at once. */
  serverMessages?: Messages | undefined
  /** Fields that `onValid` checks with the server. Their last message stays visible, but does not stop another check. */
  checkedByServer?: string[]
  /** Rules that need more than one field. */
  crossFieldRules?: (values: FormValues) => Partial<Record<keyof FormRules, string | undefined>>
  /**
   * Called when every rule passes. May return messages from the server, which appear like our own, or 'again' to validate
   * once more because the values have changed meanwhile.
   */
  onValid: (values: ParsedValues<FormRules>, submitter: HTMLElement | null) => Promise<Messages | 'again' | undefined>
}

const UNCHECKED_BOX = '[type=checkbox]:not(:checked)'

const noErrors: FormValues = {}
const noSummary: { message: string; names: string[] }[] = []

export type Form = ReturnType<typeof useForm>

/**
 * A form over the contract's rules. The values live in the DOM and are read when needed. A field shows no error while
 * the visitor first types in it, and none when it is left empty. Once it has shown an error, it is checked on every keystroke.
 */
export function useForm<FormRules extends Rules>({
  rules,
  values,
  serverMessages,
  checkedByServer = [],
  crossFieldRules,
  onValid,
}: FormOptions<FormRules>) {
  const ref = useRef<HTMLFormElement>(null)
  const loadedRules = useRef<FormRules>(undefined)
  const checkedFields = useRef(new Set<string>()) // on every keystroke
  const serverErrors = useRef(new Map<string, { value: string; messages: string[] }>())
  const pendingWork = useRef(0)
  const shownWork = useRef(0)
  const activeSubmitter = useRef<HTMLElement | null>(undefined)
  const queuedSubmitter = useRef<HTMLElement>(undefined)
  const [errors, setErrors] = useState<FormValues>(noErrors)
  const [summary, setSummary] = useState(noSummary)
  const [busy, setBusy] = useState(false)

  const read = (): FormValues => (ref.current ? readForm(ref.current) : {})

  /** Synchronous if the rules are already loaded. */
  const loadRules = (): FormRules | undefined | Promise<FormRules | undefined> => {
    const result = loadedRules.current ?? rules()
    return result instanceof Promise ? result.then(storeRules) : storeRules(result)
  }
  const storeRules = (result: FormRules | undefined) => {
    loadedRules.current = result
    return result
  }
  const showInitialMessages = useEffectEvent(async (messages: Messages | undefined) => {
    if (!messages || !(await loadRules())) return
    storeServerMessages(messages)
    showErrors(findErrors(read()))
  })
  useEffect(() => {
    showInitialMessages(serverMessages)
  }, [serverMessages])

  /** The server's last messages about the current value of a field. */
  const serverMessagesFor = (name: string, values = read()): string[] | undefined => {
    const error = serverErrors.current.get(name)
    return error?.value === values[name] ? error?.messages : undefined
  }

  /** The parsed values, and a message for each field that fails. Ignores the server's messages about `ignoredFields`. */
  const validate = (values: FormValues, ignoredFields: string[] = []) => {
    const crossFieldErrors: Record<string, string | undefined> = crossFieldRules?.(values) ?? {}
    const parsed: Record<string, unknown> = {}
    const errors: FormValues = {}
    for (const [name, rule] of Object.entries<z.ZodMiniType>(loadedRules.current ?? {})) {
      const { data, error } = rule.safeParse(values[name])
      const serverMessages = ignoredFields.includes(name) ? undefined : serverMessagesFor(name, values)
      const message = serverMessages?.[0] ?? error?.issues[0]?.message ?? crossFieldErrors[name]
      if (message === undefined) parsed[name] = data
      else errors[name] = message
    }
    return { parsed: parsed as ParsedValues<FormRules>, errors }
  }
  const findErrors = (values: FormValues): FormValues => validate(values).errors

  const updateErrors = () => {
    if (!checkedFields.current.size) return
    const errors = Object.entries(findErrors(read()))
    setErrors(Object.fromEntries(errors.filter(([name]) => checkedFields.current.has(name))))
  }

  const onBlur = async ({ target, relatedTarget }: FocusEvent<HTMLElement>) => {
    const field = target.closest<HTMLElement>('[data-field]')
    const name = field?.dataset.field
    if (!name || field.contains(relatedTarget) || field.closest('[hidden]') || !(await loadRules())) return
    const values = read()
    if (!values[name]?.trim() || field.querySelector(UNCHECKED_BOX) || !findErrors(values)[name]) return
    checkedFields.current.add(name)
    updateErrors()
  }

  /** Shows each message at its field and in the summary, and focuses the first. */
  const showErrors = (errors: FormValues) => {
    const names = inScreenOrder(ref.current, Object.keys(errors))
    for (const name of names) checkedFields.current.add(name)
    flushSync(() => {
      setErrors(errors)
      setSummary(
        [...new Set(names.map((name) => errors[name] ?? ''))].map((message) => ({
          message,
          names: names.filter((name) => errors[name] === message),
        })),
      )
    })
    if (names[0]) focusField(names[0])
  }

  const storeServerMessages = (messagesByField: Messages) => {
    const values = read()
    for (const [name, messages] of Object.entries(messagesByField))
      serverErrors.current.set(name, { value: values[name] ?? '', messages })
  }

  /** Queues a submit until the work is done. Without one, nothing shows that there is work. */
  const queueWhile = async <Result>(work: Promise<Result>): Promise<Result> => {
    pendingWork.current += 1
    try {
      return await work
    } finally {
      pendingWork.current -= 1
      if (!pendingWork.current) release()
    }
  }

  /** Keeps the form busy until the work is done. A submit in the meantime is queued. */
  const busyWhile = async <Result>(work: Promise<Result>): Promise<Result> => {
    shownWork.current += 1
    const timer = setTimeout(() => setBusy(true)) // work that finishes immediately never shows as busy
    try {
      return await queueWhile(work)
    } finally {
      clearTimeout(timer)
      shownWork.current -= 1
      if (!shownWork.current && !queuedSubmitter.current) setBusy(false)
    }
  }

  const release = () => {
    const button = queuedSubmitter.current
    if (!button) return
    queuedSubmitter.current = undefined
    setBusy(false)
    ref.current?.requestSubmit(button)
  }

  const submit = async (submitter: HTMLElement | null): Promise<void> => {
    const rules = loadRules()
    if (rules instanceof Promise ? !(await rules) : !rules) return // an await would delay the next screen
    const { parsed, errors } = validate(read(), checkedByServer)
    const allErrors = findErrors(read())
    if (Object.keys(errors).length) return showErrors(allErrors)
    if (!Object.keys(allErrors).length) {
      setErrors(noErrors)
      setSummary(noSummary)
    }
    const messages = await onValid(parsed, submitter)
    if (messages === 'again') return submit(submitter)
    for (const name of checkedByServer) serverErrors.current.delete(name)
    if (!messages) return updateErrors()
    storeServerMessages(messages)
    showErrors(findErrors(read()))
  }

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    // A second press of the same button is ignored. A press during other work is queued.
    if (activeSubmitter.current === submitter) return
    if (pendingWork.current && !activeSubmitter.current) {
      queuedSubmitter.current = submitter ?? undefined
      setBusy(true)
      return
    }
    activeSubmitter.current = submitter
    await busyWhile(submit(submitter)).finally(() => {
      if (activeSubmitter.current === submitter) activeSubmitter.current = undefined
    })
  }

  return {
    props: { ref, noValidate: true, onSubmit, onInput: updateErrors, onKeyDown: focusNextOnEnter, onBlur },
    /** The props of a field. */
    field: (name: keyof FormRules & string) => ({ name, defaultValue: values[name] ?? '', error: errors[name] }),
    /** The messages of the last submit, each once, with the first field that still has it and how many do. */
    summary: summary.map(({ message, names }) => {
      const name = names.find((name) => errors[name]) ?? names[0] ?? ''
      return { name, message: errors[name] ?? message, open: names.filter((name) => errors[name]).length }
    }),
    busy,
    busyWhile,
    queueWhile,
    serverMessagesFor,
    /** Shows the server's messages about the current value of a field. They go away when the value changes. */
    showServerMessages: (name: keyof FormRules & string, messages: string[]) => {
      loadRules()
      storeServerMessages({ [name]: messages })
      checkedFields.current.add(name)
      updateErrors()
    },
  }
}

const inScreenOrder = (form: HTMLFormElement | null, names: string[]) => {
  const onScreen = [...(form?.elements ?? [])].map((element) => element.getAttribute('name'))
  return names.toSorted((a, b) => onScreen.indexOf(a) - onScreen.indexOf(b))
}

/** On touch screens the keyboard's "next" key moves to the next field. iPhones would submit the form instead. */
function focusNextOnEnter(event: KeyboardEvent<HTMLFormElement>) {
  const field = event.target
  if (
    event.nativeEvent.isComposing ||
    event.key !== 'Enter' ||
    !(field instanceof HTMLInputElement) ||
    field.enterKeyHint !== 'next'
  )
    return
  if (!matchMedia('(pointer: coarse)').matches) return
  event.preventDefault()
  const fields = [...event.currentTarget.elements] as HTMLInputElement[]
  fields.find((next, at) => at > fields.indexOf(field) && next.name && next.tabIndex >= 0 && !next.disabled)?.focus()
}
