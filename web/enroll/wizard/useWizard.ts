import { createContext, useContext, useSyncExternalStore } from 'react'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

/** EnrollPage provides it for all steps. */
const WizardContext = createContext(undefined as unknown as Wizard)

export const WizardProvider = WizardContext.Provider

export const useWizard = (): Wizard => useContext(WizardContext)

/** A part of the wizard's state, which does not change before the page is hydrated. */
export function useWizardState<Part>(wizard: Wizard, select: (state: State) => Part): Part {
  const read = () => select(wizard.getState())
  return useSyncExternalStore(wizard.subscribe, read, read)
}
