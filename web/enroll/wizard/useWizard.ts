import { createContext, useContext, useSyncExternalStore } from 'react'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

/** EnrollPage provides it for all steps. */
const WizardContext = createContext(undefined as unknown as Wizard)

export const WizardProvider = WizardContext.Provider

export const useWizard = (): Wizard => useContext(WizardContext)

/** A part of the wizard's state. */
export const useWizardState = <Part>(wizard: Wizard, select: (state: State) => Part): Part =>
  useSyncExternalStore(
    wizard.subscribe,
    () => select(wizard.getState()),
    () => select(wizard.getFirstState()),
  )
