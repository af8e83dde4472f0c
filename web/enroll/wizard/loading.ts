import type { Policy, Step } from '#contract/start.ts'
import { log } from '#web/log.ts'
import { whenOnline } from '#web/network.ts'
import type { Draft } from '#web/storage.ts'
import type { Store } from './store.ts'

type Rules = typeof import('./rules.ts')

/** Loads the code of later steps, and the rules of the fields. */
export type StepLoader = {
  isLoaded: (step: Step) => boolean
  /** Throws when the code cannot be fetched. */
  load: (step: Step) => Promise<void>
  loadRules: () => Rules | Promise<Rules>
  /** The code of the next step, and the rules that lead there. */
  loadNext: (step: Step, policy: Policy) => Promise<unknown>
}

export type Loading = ReturnType<typeof createLoading>

/** What waits for the network, and says so. */
export function createLoading({ getState, update }: Store, steps: StepLoader) {
  /** While the browser is offline, says so and waits. False if it is online. */
  const waitForNetwork = async () => {
    if (navigator.onLine) return false
    update({ stop: 'offline' })
    await whenOnline()
    update({ stop: undefined })
    return true
  }

  const stopWithoutStep = (draft: Draft, cause: unknown): undefined => {
    log('The next step could not be loaded.', cause)
    update({ draft, stop: 'step-not-loaded' })
  }

  /** Retries a failed load whenever the network was away, and once more in case it's already back. */
  const withRetry = <Loaded>(
    loading: Promise<Loaded>,
    load: () => Promise<Loaded>,
    isRetry?: boolean,
  ): Promise<Loaded> =>
    loading.catch(async (cause: unknown) => {
      if (!(await waitForNetwork()) && isRetry) throw cause
      return withRetry(load(), load, true)
    })

  /** Runs `check` with the field rules, synchronously if they are loaded. Undefined if they cannot be loaded. */
  const withRules = <Result>(check: (rules: Rules) => Result): Result | Promise<Result | undefined> => {
    const rules = steps.loadRules()
    if (!(rules instanceof Promise)) return check(rules)
    return withRetry(rules, async () => steps.loadRules()).then(check, (cause: unknown) =>
      stopWithoutStep(getState().draft, cause),
    )
  }

  const loadStep = (step: Step) => withRetry(steps.load(step), () => steps.load(step))

  return { waitForNetwork, stopWithoutStep, withRules, loadStep }
}
