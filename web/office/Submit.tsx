import type { ReactNode } from 'react'
import { ArrowIcon, DotIcon } from '#web/icons.tsx'

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

type PressProps = { busy: boolean; onPress: () => void; children: string; quiet?: boolean }

/** A press that makes a call. A second one while it runs means the same. */
export const Press = ({ busy, onPress, children, quiet }: PressProps) => (
  <button
    type="button"
    className={quiet ? 'button quiet' : 'button'}
    aria-busy={busy || undefined}
    onClick={() => busy || onPress()}
  >
    {children}
    {busy && <DotIcon />}
  </button>
)
