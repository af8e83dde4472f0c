import { type ComponentType, memo, type ReactNode } from 'react'
import { groupOf, groupOfList, type OrderList } from '#contract/packages.ts'
import type { Step } from '#contract/start.ts'
import { nextStep, stepOf } from './flow.ts'
import { packagesIn } from './order/order.ts'
import { Account } from './steps/account/Account.tsx'
import { PackageStep } from './steps/packages/PackageStep.tsx'
import type { State } from './wizard/state.ts'
import type { StepLoader, Wizard } from './wizard/wizard.ts'

export type Steps = ReturnType<typeof createSteps>

/** Only a step that does nothing until it is touched may be rendered before it is shown. */
export const mayPreRender = (step: Step): boolean => step === 'ACCOUNT_CREATION'

/** All steps: their components, what each is given, and how the later ones are loaded. */
export function createSteps() {
  const screens: Record<Step, Screen> = {
    PRODUCT_SELECTION: packageScreen('product_ids'),
    AUTOSHIP: packageScreen('autoship_product_ids'),
    SPECIAL: packageScreen('special_product_ids'),
    ACCOUNT: loadedScreen(Account, (wizard, state) => ({
      answers: state.renderedDraft,
      rejectedFields: rejectedFieldsAt('ACCOUNT', state),
      sendsCode: wizard.start.policy.phone_verification,
      withRules: wizard.withRules,
      onNext: wizard.advance,
    })),
    CODE_VERIFICATION: lazyScreen(
      async () => {
        const { CodeVerification, preparePhoneCode } = await import('./steps/code-verification/verification.ts')
        return [CodeVerification, preparePhoneCode]
      },
      (wizard, state) => ({
        mobile_phone: state.draft.mobile_phone ?? '',
        phoneStore: wizard,
        rejectedFields: rejectedFieldsAt('CODE_VERIFICATION', state),
        onNext: wizard.advance,
        onEdit: wizard.returnTo,
      }),
    ),
    ACCOUNT_CREATION: lazyScreen(
      async () => [(await import('./steps/account-creation/AccountCreation.tsx')).AccountCreation],
      (wizard, state) => ({
        answers: state.renderedDraft,
        rejectedFields: rejectedFieldsAt('ACCOUNT_CREATION', state),
        readDraft: wizard.readDraft,
        onNext: wizard.advance,
      }),
    ),
    PAYMENT: lazyScreen(
      async () => [(await import('./steps/payment/checkout.ts')).Payment],
      (wizard, { draft, packages, grand_total, receipt, paymentNews }) => ({
        wizard,
        draft,
        packages,
        grand_total,
        receipt,
        paymentNews,
      }),
    ),
    ACCESS: lazyScreen(
      async () => [(await import('./steps/payment/checkout.ts')).Access],
      (wizard, { receipt }) => ({ paymentStore: wizard, receipt }),
    ),
  }
  let rules: typeof import('./wizard/rules.ts') | undefined

  const loader: StepLoader = {
    isLoaded: (step) => screens[step].isLoaded(),
    load: (step) => screens[step].load(),
    loadRules: () => rules ?? fetchRules(),
    loadNext: (step, policy) => Promise.all([loader.load(nextStep(step, policy)), loader.loadRules()]),
  }

  const fetchRules = async () => {
    rules = await import('./wizard/rules.ts')
    return rules
  }

  return {
    ...loader,
    /** Work that a loaded step can do before it is shown. */
    prepare: (step: Step, wizard: Wizard) => screens[step].prepare(wizard),
    render: (step: Step, wizard: Wizard, state: State) => screens[step].render(wizard, state),
  }
}

type PropsOf<Props> = (wizard: Wizard, state: State) => Props

type Screen = {
  isLoaded: () => boolean
  load: () => Promise<void>
  prepare: (wizard: Wizard) => void
  render: (wizard: Wizard, state: State) => ReactNode
}

type ScreenParts<Props> = [Component: ComponentType<Props>, prepare?: (wizard: Wizard) => void]

/** The later steps are scripts of their own. A step is rendered again only when its props change. */
function lazyScreen<Props extends object>(
  fetchParts: () => Promise<ScreenParts<Props>>,
  propsOf: PropsOf<Props>,
  loaded?: ComponentType<Props>,
): Screen {
  let Component = loaded && memoized(loaded)
  let prepare: ScreenParts<Props>[1]
  return {
    isLoaded: () => Component !== undefined,
    load: async () => {
      if (Component) return
      const parts = await fetchParts()
      Component ??= memoized(parts[0])
      prepare = parts[1]
    },
    prepare: (wizard) => prepare?.(wizard),
    render: (wizard, state) => Component && <Component {...propsOf(wizard, state)} />,
  }
}

const memoized = <Props extends object>(Component: ComponentType<Props>) =>
  memo(Component) as unknown as ComponentType<Props>

/** The steps that may come first, and those that are almost the same, are part of the first script. */
const loadedScreen = <Props extends object>(Component: ComponentType<Props>, propsOf: PropsOf<Props>) =>
  lazyScreen(async () => [Component], propsOf, Component)

const packageScreen = (list: OrderList) =>
  loadedScreen(PackageStep, ({ choosePackage }, state) => ({
    list,
    offers: state.packages.filter((offer) => groupOf(offer) === groupOfList[list]),
    chosen: packagesIn(list, state.draft, state.packages)[0],
    rejection: rejectedFieldsAt(stepOf[list], state)?.[list]?.[0],
    moves: state.moves,
    onChoose: choosePackage,
  }))

/** The server's messages belong to the step that they led to. */
const rejectedFieldsAt = (step: Step, state: State) => (state.step === step ? state.rejectedFields : undefined)
