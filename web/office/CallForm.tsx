import { type ReactNode, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { isRejected } from '#web/call.ts'
import { useForm } from '#web/form/useForm.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { Failure } from './Failure.tsx'
import { sentenceOf } from './sentenceOf.ts'

type Rules = Record<string, z.ZodMiniType>

type Task<Checked extends Rules> = {
  /** The input of the call, as the contract has it. */
  rules: Checked
  values?: Partial<Record<keyof Checked, string>>
  across?: (found: Record<string, string>) => Partial<Record<keyof Checked, string | undefined>>
  send: (answers: { [Name in keyof Checked]: z.infer<Checked[Name]> }) => Promise<unknown>
}

/**
 * A form that makes one call. What the server says about a field stands there; what is about none is its `failure`. `isDoubtful`:
 * it says no, and an earlier press was not answered; perhaps it says no because that one worked.
 */
export function useCallForm<Checked extends Rules>({ rules, values = {}, across, send }: Task<Checked>) {
  const [failure, setFailure] = useState<{ sentence: string; cause: unknown }>()
  const [isDoubtful, setDoubtful] = useState(false)
  const isLost = useRef(false)
  const form = useForm({
    rules: () => rules,
    values,
    ...(across ? { crossFieldRules: across } : {}),
    onValid: async (answers) => {
      setFailure(undefined)
      setDoubtful(false)
      try {
        await send(answers)
      } catch (cause) {
        if (isRejected(cause))
          setDoubtful(isLost.current && cause.status !== 409) // which is about somebody else
        else isLost.current = true
        const about = isRejected(cause) ? Object.entries(cause.fields).filter(([name]) => name in rules) : []
        if (about.length) return Object.fromEntries(about)
        setFailure({ sentence: sentenceOf(cause), cause })
      }
      return undefined
    },
  })
  return { ...form, failure, isDoubtful }
}

type CallFormProps = {
  form: Pick<ReturnType<typeof useCallForm>, 'props' | 'busy' | 'failure'>
  /** The words on its button. */
  button: string
  /** Another way, beside the button. */
  way?: ReactNode
  children?: ReactNode
}

/** Its fields, what went wrong, and the way on. */
export const CallForm = ({ form, button, way, children }: CallFormProps) => (
  <form method="post" {...form.props}>
    {children}
    <Failure sentence={form.failure?.sentence} />
    <div className="ways">
      <Submit busy={form.busy}>{button}</Submit>
      {way}
    </div>
  </form>
)

type SubmitProps = { busy: boolean; children: string; icon?: ReactNode }

/** The way on. A press on it must not make a field lose its focus first: a message would appear and the button slip away. */
export const Submit = ({ busy, children, icon = <ArrowIcon /> }: SubmitProps) => (
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
