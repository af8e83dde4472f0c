import { type ComponentType, memo, type ReactNode } from 'react'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

export type StepDefinition = {
  render: (wizard: Wizard, state: State) => ReactNode
  /** Work that can be done before the step is shown. */
  prepare?: ((wizard: Wizard) => void) | undefined
}

/** A step is given the props it needs, not the whole wizard. It is rendered again only when they change. */
export function defineStep<Props extends object>(
  Component: ComponentType<Props>,
  propsOf: (wizard: Wizard, state: State) => Props,
  prepare?: (wizard: Wizard) => void,
): StepDefinition {
  const Memo = memo(Component) as unknown as ComponentType<Props>
  return { render: (wizard, state) => <Memo {...propsOf(wizard, state)} />, prepare }
}
