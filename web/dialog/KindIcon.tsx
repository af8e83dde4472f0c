import type { Question } from './ask.ts'

type Kind = NonNullable<Question['icon']>

const shapes: Record<Kind, string> = {
  error: 'M19 24 29 34M29 24 19 34',
  info: 'M24 28v9M24 20.8v.2',
  success: 'M17.5 29.5l4.8 5L31 24.5',
  warning: 'M24 20v10M24 36.3v.2',
}

/** What kind of news this is, in the house's archway. The words say it too. */
export const KindIcon = ({ kind }: { kind: Kind }) => (
  <svg className={`kind kind-${kind}`} viewBox="0 0 48 52" aria-hidden="true" focusable="false">
    <path className="kind-arch" d="M4 52V24a20 20 0 0 1 40 0v28z" />
    <path d={`M2 50.5h44${shapes[kind]}`} />
  </svg>
)
