import type { OrderList } from '#contract/packages.ts'
import type { Policy, Step } from '#contract/start.ts'

/** Forward: the first step in the list that is switched on. */
const forward: Record<Step, readonly Step[]> = {
  PRODUCT_SELECTION: ['AUTOSHIP', 'SPECIAL', 'ACCOUNT'],
  AUTOSHIP: ['SPECIAL', 'ACCOUNT'],
  SPECIAL: ['ACCOUNT'],
  ACCOUNT: ['CODE_VERIFICATION', 'ACCOUNT_CREATION'],
  CODE_VERIFICATION: ['ACCOUNT_CREATION'],
  ACCOUNT_CREATION: ['PAYMENT'],
  PAYMENT: ['ACCESS'],
  ACCESS: [],
}

/** All steps, first to last. */
export const flowOrder = Object.keys(forward) as Step[]

/** Backward: the first step in the list that is switched on. */
const backward: Record<Step, readonly Step[]> = {
  PRODUCT_SELECTION: [],
  AUTOSHIP: ['PRODUCT_SELECTION'],
  SPECIAL: ['AUTOSHIP', 'PRODUCT_SELECTION'],
  ACCOUNT: ['SPECIAL', 'AUTOSHIP', 'PRODUCT_SELECTION'],
  CODE_VERIFICATION: ['ACCOUNT'],
  ACCOUNT_CREATION: ['ACCOUNT'],
  PAYMENT: ['ACCOUNT_CREATION'],
  ACCESS: ['PAYMENT'],
}

/** The step on which each list of the order is chosen. */
export const stepOf: Record<OrderList, Step> = {
  product_ids: 'PRODUCT_SELECTION',
  autoship_product_ids: 'AUTOSHIP',
  special_product_ids: 'SPECIAL',
}

/** The steps that an operator can switch off. */
const switches: Partial<Record<Step, (policy: Policy) => boolean>> = {
  AUTOSHIP: (policy) => policy.autoship,
  SPECIAL: (policy) => policy.special,
  CODE_VERIFICATION: (policy) => policy.phone_verification,
}

export const isOn = (step: Step, policy: Policy) => switches[step]?.(policy) ?? true

/** The step that Next goes to; the last step itself if there is none. */
export const nextStep = (from: Step, policy: Policy): Step => forward[from].find((to) => isOn(to, policy)) ?? from

/** The step that Previous, Back and Change go to; the first step itself if there is none. */
export const previousStep = (from: Step, policy: Policy): Step => backward[from].find((to) => isOn(to, policy)) ?? from

/** ACCOUNT, unless the operator says otherwise or no package could be preselected. */
export const firstStep = (policy: Policy, preselected: boolean): Step =>
  preselected ? policy.start_step : 'PRODUCT_SELECTION'

type ForwardLabel = 'Next' | 'Confirm and Pay' | 'Continue without'

/** The forward button. On PRODUCT_SELECTION choosing a package goes forward, and ACCESS is the last step. */
export const forwardButton: Partial<Record<Step, ForwardLabel>> = {
  AUTOSHIP: 'Continue without',
  SPECIAL: 'Continue without',
  ACCOUNT: 'Next',
  CODE_VERIFICATION: 'Next',
  ACCOUNT_CREATION: 'Next',
  PAYMENT: 'Confirm and Pay',
}

/** For the steps with a form; ACCESS has its own. Hidden on ACCOUNT, as the spec says: Change goes back from there. */
export const hasPrevious = (step: Step): boolean => step !== 'ACCOUNT' && step in forwardButton

/** Change in the order summary: from the choice of a package until it is paid. */
export const hasChange = (step: Step): boolean =>
  step === 'ACCOUNT' || step === 'CODE_VERIFICATION' || step === 'ACCOUNT_CREATION' || step === 'PAYMENT'
