import { type ReactNode, useEffect, useRef } from 'react'
import { Notice } from '#web/ui/Notice.tsx'
import type { Difference } from './differences.ts'

/** How a form describes its fields. */
export type FieldTexts = {
  labels: Record<string, string>
  /** How to display an answer, if not as it is. */
  show?: (name: string, value: string) => string | undefined
  /** For long answers: how they differ. */
  compare?: (difference: Difference) => ReactNode
}

type ConflictProps = FieldTexts & {
  differences: Difference[]
  onChoose: (difference: Difference, isTheirs: boolean) => void
}

/** Both answers of every field that someone else has saved meanwhile. The chosen ones are in the form, to be saved again. */
export function Conflict({ differences, onChoose, ...texts }: ConflictProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => ref.current?.focus(), [])
  return (
    <div ref={ref} className="conflict" role="alert" tabIndex={-1}>
      <Notice tone="alert" title="Someone else saved this form while you were editing it.">
        Choose what to keep, then save again.
      </Notice>
      {differences.map((difference) => (
        <Choice key={difference.name} difference={difference} onChoose={onChoose} {...texts} />
      ))}
    </div>
  )
}

type ChoiceProps = Omit<ConflictProps, 'differences'> & { difference: Difference }

function Choice({ difference, onChoose, labels, show = (_name, value) => value, compare }: ChoiceProps) {
  const { name, theirs, yours, isTheirs } = difference
  const comparison = compare?.(difference)
  const textOf = (value: string) => !comparison && <bdi>: {show(name, value) || '(empty)'}</bdi>
  return (
    <fieldset className="choice">
      <legend>{labels[name]}</legend>
      {[true, false].map((each) => (
        <button
          key={String(each)}
          type="button"
          className="tab"
          aria-pressed={each === isTheirs}
          onClick={() => onChoose(difference, each)}
        >
          {each ? 'Theirs' : 'Yours'}
          {textOf(each ? theirs : yours)}
        </button>
      ))}
      {comparison}
    </fieldset>
  )
}
