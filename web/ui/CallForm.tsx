import { type ReactNode, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { isRejected } from '#web/call.ts'
import { useForm } from '#web/form/useForm.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { ErrorNotice } from './ErrorNotice.tsx'
import { errorMessage } from './errorMessage.ts'

type Rules = Record<string, z.ZodMiniType>

type CallFormOptions<FormRules extends Rules> = {
  /** The input of the call, as in the contract. */
  rules: FormRules
  values?: Partial<Record<keyof FormRules, string>>
  send: (values: { [Name in keyof FormRules]: z.infer<FormRules[Name]> }) => Promise<unknown>
}

/**
 * A form that makes one call. Server messages about a field appear at that field, all others as `failure`.
 * `mayHaveSucceeded`: the call was rejected after an earlier one got no reply, perhaps because that one had worked.
 */
export function useCallForm<FormRules extends Rules>(options: CallFormOptions<FormRules>) {
  const { rules, values = {}, send } = options
  const [failure, setFailure] = useState<{ message: string; cause: unknown }>()
  const [mayHaveSucceeded, setMayHaveSucceeded] = useState(false)
  const hasUnansweredCall = useRef(false)
  const form = useForm({
    rules: () => rules,
    values,
    onValid: async (values) => {
      setFailure(undefined)
      setMayHaveSucceeded(false)
      try {
        await send(values)
      } catch (cause) {
        // A 409 means that another member has the name, so it says nothing about our own earlier call.
        if (isRejected(cause)) setMayHaveSucceeded(hasUnansweredCall.current && cause.status !== 409)
        else hasUnansweredCall.current = true
        const fieldMessages = isRejected(cause) ? Object.entries(cause.fields).filter(([name]) => name in rules) : []
        if (fieldMessages.length) return Object.fromEntries(fieldMessages)
        setFailure({ message: errorMessage(cause), cause })
      }
      return undefined
    },
  })
  return { ...form, failure, mayHaveSucceeded }
}

type CallFormProps = {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'busy' | 'failure'>
  submitLabel: string
  secondaryAction?: ReactNode
  /** What to do after a failure. */
  wayOut?: ReactNode
  children?: ReactNode
}

export const CallForm = ({ form, submitLabel, secondaryAction, wayOut, children }: CallFormProps) => (
  <form method="post" {...form.props}>
    {children}
    <ErrorNotice message={form.failure?.message}>{wayOut}</ErrorNotice>
    <div className="form-actions">
      <SubmitButton busy={form.busy}>{submitLabel}</SubmitButton>
      {secondaryAction}
    </div>
  </form>
)

type SubmitButtonProps = { busy: boolean; children: string; icon?: ReactNode }

/** Does not take the focus on mouse down: a message under the field that loses it would move the button away. */
export const SubmitButton = ({ busy, children, icon = <ArrowIcon /> }: SubmitButtonProps) => (
  <button
    type="submit"
    className="button"
    aria-busy={busy || undefined}
    onMouseDown={(event) => event.preventDefault()}
  >
    {children}
    {icon}
  </button>
)
