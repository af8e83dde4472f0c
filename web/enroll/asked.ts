import { fields } from '#contract/fields.ts'
import type { Policy, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { nextStep } from './flow.ts'

// The rules are a chunk of their own: a visitor can type before they are here.

const { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella } = fields
const { email, username, password } = fields

/** Which fields a step asks for, each with its rule. */
export const asked = {
  ACCOUNT: { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella },
  ACCOUNT_CREATION: { email, username, password },
}

const fits = (rules: Partial<typeof fields>) => (draft: Draft) =>
  Object.entries(rules).every(([name, rule]) => rule.safeParse(draft[name as keyof Draft]).success)

/** Whether a step can be left forward with what has been answered. */
const complete: Record<Step, (draft: Draft) => boolean> = {
  PRODUCT_SELECTION: (draft) => Boolean(draft.product_ids),
  AUTOSHIP: () => true,
  SPECIAL: () => true,
  ACCOUNT: fits(asked.ACCOUNT),
  CODE_VERIFICATION: () => false,
  ACCOUNT_CREATION: fits(asked.ACCOUNT_CREATION),
  PAYMENT: () => false,
  ACCESS: () => false,
}

/** The wanted step, or the first one on the way there that still lacks an answer. Nobody passes an invalid step. */
export function reachable(wanted: Step, draft: Draft, policy: Policy): Step {
  let step: Step = 'PRODUCT_SELECTION'
  while (step !== wanted && complete[step](draft)) step = nextStep(step, policy)
  return step
}
