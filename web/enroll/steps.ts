import type { OrderList } from '#contract/packages.ts'
import type { Step } from '#contract/start.ts'
import { nextStep } from './flow.ts'
import { account } from './steps/account/Account.tsx'
import type { StepDefinition } from './wizard/defineStep.tsx'
import type { StepLoader } from './wizard/loading.ts'
import type { State } from './wizard/state.ts'
import type { Wizard } from './wizard/wizard.ts'

type Loaded = Partial<Record<Step, StepDefinition>>

const packages = async (list: OrderList) => (await import('./steps/packages/PackageStep.tsx')).packageStep(list)

/** ACCOUNT is part of the first script. The other steps come with the second, or are scripts of their own. */
const laterSteps: Partial<Record<Step, () => Promise<StepDefinition>>> = {
  PRODUCT_SELECTION: () => packages('product_ids'),
  AUTOSHIP: () => packages('autoship_product_ids'),
  SPECIAL: () => packages('special_product_ids'),
  CODE_VERIFICATION: async () => (await import('./steps/code-verification/verification.ts')).codeVerification,
  ACCOUNT_CREATION: async () => (await import('./steps/account-creation/AccountCreation.tsx')).accountCreation,
  PAYMENT: async () => (await import('./steps/payment/checkout.ts')).payment,
  ACCESS: async () => (await import('./steps/payment/checkout.ts')).access,
}

/** Only a step that does nothing until it is touched may be rendered before it is shown. */
export const mayPreRender = (step: Step): boolean => step === 'ACCOUNT_CREATION'

export type Steps = ReturnType<typeof createSteps>

/** The steps of one page, and which of them are loaded. The server has `more` at once. */
export function createSteps(more: Loaded = {}) {
  const loadedSteps: Loaded = { ACCOUNT: account, ...more }
  let rules: typeof import('./wizard/rules.ts') | undefined

  const loader: StepLoader = {
    isLoaded: (step) => loadedSteps[step] !== undefined,
    load: async (step) => {
      const definition = loadedSteps[step] ?? (await laterSteps[step]?.())
      if (definition) loadedSteps[step] = definition
    },
    loadRules: () => rules ?? fetchRules(),
    loadNext: (step, policy) => Promise.all([loader.load(nextStep(step, policy)), loader.loadRules()]),
  }

  const fetchRules = async () => {
    rules = await import('./wizard/rules.ts')
    return rules
  }

  return {
    ...loader,
    prepare: (step: Step, wizard: Wizard) => loadedSteps[step]?.prepare?.(wizard),
    render: (step: Step, wizard: Wizard, state: State) => loadedSteps[step]?.render(wizard, state),
  }
}
