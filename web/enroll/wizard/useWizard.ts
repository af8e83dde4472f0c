import { createContext, useContext, useSyncExternalStore } from 'react'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

const WizardContext = createContext<Wizard | undefined>(undefined)

export const WizardProvider = WizardContext.Provider

/** The wizard around this step. */
export function useWizard(): Wizard {
  const wizard = useContext(WizardContext)
  if (!wizard) throw new Error('There is no wizard around this step.')
  return wizard
}

/** A part of the wizard's state. */
export const useWizardState = <Part>(wizard: Wizard, select: (state: State) => Part): Part =>
  useSyncExternalStore(
    wizard.subscribe,
    () => select(wizard.getState()),
    () => select(wizard.getFirstState()),
  )
