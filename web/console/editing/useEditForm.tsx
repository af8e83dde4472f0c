import { useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { FORM_CHANGED } from '#contract/console/permissions.ts'
import { isRejected } from '#web/call.ts'
import { readForm } from '#web/form/readForm.ts'
import { loadConsoleDraft, saveConsoleDraft } from '#web/storage.ts'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { Conflict, type FieldTexts } from './Conflict.tsx'
import { type Difference, differencesOf, isChanged, type Shown } from './differences.ts'
import { setField } from './setField.ts'
import { useLeaveGuard } from './useLeaveGuard.tsx'

type Rules = Record<string, z.ZodMiniType>
type Parsed<FormRules extends Rules> = { [Name in keyof FormRules]: z.infer<FormRules[Name]> }

type EditOptions<Page, FormRules extends Rules> = FieldTexts & {
  rules: FormRules
  page: Page
  /** The form's saved fields. Others, such as a reason, can't conflict. */
  shownOf: (page: Page) => Shown
  load: () => Promise<Page>
  save: (values: Parsed<FormRules>, version: string) => Promise<Page>
  onSaved: (page: Page, values: Parsed<FormRules>) => void
  /** Keeps what is typed in this tab, under this name. Not for a member's data. */
  draftName?: string
  /** How to set a field that isn't a plain element of the form. */
  enter?: Record<string, (value: string) => void>
  /** Whether the form stays on the screen at this address. */
  staysAt?: (address: URL) => boolean
}

/**
 * A form for something that colleagues also edit. It's saved only over the version that was read: if someone else has saved
 * meanwhile, the form shows both answers to choose from. It never drops typed text without asking. Put
 * `restored` at the beginning of the form, and `questions` at its end.
 */
export function useEditForm<Page, FormRules extends Rules>(options: EditOptions<Page, FormRules>) {
  const { rules, page, shownOf, load, save, onSaved, draftName, enter = {}, staysAt = () => false, ...texts } = options
  const { session } = useConsole()
  const [draft] = useState(() => draftName && loadConsoleDraft(session.staff.id, draftName))
  const [isRestored, setRestored] = useState(Boolean(draft))
  const [latest, setLatest] = useState(page)
  const [initial] = useState(draft ? draft.typed : shownOf(page).values)
  const base = useRef<Shown>(draft || shownOf(page))
  const isUnsaved = useRef(Boolean(draft))
  const [differences, setDifferences] = useState<Difference[]>([])

  /** The form shows, or is about to replace, what is saved now. */
  const accept = (page: Page) => {
    base.current = shownOf(page)
    setLatest(page)
  }

  const keepDraft = () => {
    const fields = form.props.ref.current
    if (!fields) return
    const typed = readForm(fields)
    isUnsaved.current = isChanged(base.current, typed)
    if (draftName)
      saveConsoleDraft(session.staff.id, draftName, isUnsaved.current ? { ...base.current, typed } : undefined)
  }

  const forgetDraft = () => {
    isUnsaved.current = false
    setRestored(false)
    if (draftName) saveConsoleDraft(session.staff.id, draftName, undefined)
  }

  const send = async (values: Parsed<FormRules>): Promise<void> => {
    try {
      const saved = await save(values, base.current.version)
      accept(saved)
      setDifferences([])
      forgetDraft()
      onSaved(saved, values)
    } catch (cause) {
      const fields = form.props.ref.current
      if (!fields || !isRejected(cause) || cause.status !== FORM_CHANGED) throw cause
      const theirs = await load()
      const found = differencesOf(base.current, shownOf(theirs), readForm(fields))
      accept(theirs)
      if (!found.length) return send(values) // only something else on the page was changed
      setDifferences(found)
      for (const { name, theirs, isTheirs } of found) if (isTheirs) enterValue(name, theirs)
    }
  }

  const form = useCallForm({ rules, values: initial as Partial<Record<keyof FormRules, string>>, send })

  const enterValue = (name: string, value: string) => {
    const fields = form.props.ref.current
    const enterOwn = enter[name]
    if (enterOwn) enterOwn(value)
    else if (fields) setField(fields, name, value)
  }

  const discard = () => {
    accept(latest)
    for (const name of Object.keys(initial)) enterValue(name, base.current.values[name] ?? '')
    forgetDraft()
  }

  const choose = ({ name, theirs, yours }: Difference, isTheirs: boolean) => {
    enterValue(name, isTheirs ? theirs : yours)
    setDifferences((all) => all.map((each) => (each.name === name ? { ...each, isTheirs } : each)))
  }

  const question = useLeaveGuard({ isUnsaved: () => isUnsaved.current, staysAt, isKept: Boolean(draftName) })

  return {
    ...form,
    props: {
      ...form.props,
      onInput: () => {
        form.props.onInput()
        isUnsaved.current = true // immediately: Back may be next
        setTimeout(keepDraft) // hidden fields follow the typed ones with the next render
      },
    },
    /** As it was read last. */
    latest,
    /** What the form showed first. */
    initial,
    restored: isRestored && (
      <Notice>
        This is what you typed before. It isn’t saved yet.{' '}
        <button type="button" className="link" onClick={discard}>
          Discard it
        </button>
      </Notice>
    ),
    questions: (
      <>
        {differences.length > 0 && <Conflict differences={differences} onChoose={choose} {...texts} />}
        {question}
      </>
    ),
  }
}
