import type { ComponentType } from 'react'
import type { Step } from '#contract/start.ts'
import { Account } from './steps/Account.tsx'
import { ProductSelection } from './steps/ProductSelection.tsx'
import type { Wizard } from './wizard.ts'

/** Every step is a component that is handed the wizard and nothing else. */
export type Screen = ComponentType<{ wizard: Wizard }>

/** The two that may come first are part of the page's own script. */
const ready: Partial<Record<Step, Screen>> = {
  PRODUCT_SELECTION: ProductSelection,
  ACCOUNT: Account,
}

/** The others are one file each, fetched when they are about to be needed. */
const later: Partial<Record<Step, () => Promise<Screen>>> = {
  ACCOUNT_CREATION: async () => (await import('./steps/AccountCreation.tsx')).AccountCreation,
}

export const screenOf = (step: Step): Screen | undefined => ready[step]

/** Whether anybody has built this step. */
export const exists = (step: Step): boolean => step in ready || step in later

/** Brings a step's code here. Throws when it cannot be fetched. */
export async function fetchScreen(step: Step): Promise<void> {
  const screen = ready[step] ?? (await later[step]?.())
  if (screen) ready[step] = screen
}
