import type { ComponentType } from 'react'
import type { StartData, Step } from '#contract/start.ts'
import { nextStep } from './flow.ts'
import { Account } from './steps/account/Account.tsx'
import { packageStep } from './steps/packages/PackageStep.tsx'
import type { Wizard } from './wizard/wizard.ts'

/** Every step is a component that is handed the wizard and nothing else. */
export type Screen = ComponentType<{ wizard: Wizard }>

/** The two that may come first are part of the page's own script, and so are the two that are almost the same as one of them. */
const ready: Partial<Record<Step, Screen>> = {
  PRODUCT_SELECTION: packageStep('product_ids'),
  AUTOSHIP: packageStep('autoship_product_ids'),
  SPECIAL: packageStep('special_product_ids'),
  ACCOUNT: Account,
}

/** The others are one file each, fetched when they are about to be needed. */
const later: Partial<Record<Step, (start: StartData) => Promise<Screen>>> = {
  CODE_VERIFICATION: async ({ captcha }) => {
    const { CodeVerification, solveAhead } = await import('./steps/code-verification/bundle.ts')
    if (!captcha) solveAhead()
    return CodeVerification
  },
  ACCOUNT_CREATION: async () => (await import('./steps/account-creation/AccountCreation.tsx')).AccountCreation,
  PAYMENT: async () => (await import('./steps/payment/bundle.ts')).Payment,
  ACCESS: async () => (await import('./steps/payment/bundle.ts')).Access,
}

/** A step that does nothing before somebody touches it may stand ready behind another one. */
export const isQuiet = (step: Step): boolean => step === 'ACCOUNT_CREATION'

export type Rules = typeof import('./wizard/rules.ts')
let rules: Rules | undefined

/** The fields' rules, and how far they let a draft go. */
export const fetchRules = (): Rules | Promise<Rules> => rules ?? bringRules()

async function bringRules(): Promise<Rules> {
  rules = await import('./wizard/rules.ts')
  return rules
}

/** What the step after this one needs: its code, and the rules that lead there. */
export const fetchNext = (step: Step, start: StartData) =>
  Promise.all([fetchScreen(nextStep(step, start.policy), start), fetchRules()])

export const screenOf = (step: Step): Screen | undefined => ready[step]

/** Brings a step's code here. Throws when it cannot be fetched. */
export async function fetchScreen(step: Step, start: StartData): Promise<void> {
  const screen = ready[step] ?? (await later[step]?.(start))
  if (screen) ready[step] = screen
}
