import * as z from 'zod/mini'
import { fields } from '#contract/fields.ts'
import { passwordProblem } from '#contract/password.ts'
import type { Policy, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { nextStep } from '../flow.ts'
import type { State } from './state.ts'

// A chunk of its own: visitors can type before the rules are loaded.

const { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella } = fields
const { code, email, username, password } = fields
const { country, address, address2, city, state, post_code, cc_number, cc_month, cc_year, cc_cvv } = fields
const { is_shipping_different, agreement_1, agreement_2, captcha } = fields

/** The shipping address is checked by `paymentProblems`, and only if it is used. */
const anything = z._default(z.string('Please enter text.'), '')

/** The fields of each step, with their rules. */
export const fieldRules = {
  ACCOUNT: { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella },
  CODE_VERIFICATION: { code },
  ACCOUNT_CREATION: { email, username, password },
  PAYMENT: {
    ...{ country, address, address2, city, state, post_code },
    ...{ is_shipping_different, ship_address: anything, ship_address2: anything, ship_city: anything },
    ...{ ship_country: anything, ship_state: anything, ship_zip_code: anything },
    ...{ cc_number, cc_month, cc_year, cc_cvv, agreement_1, agreement_2, captcha },
  },
}

const passes = (rules: Partial<typeof fields>, draft: Draft) =>
  Object.entries(rules).every(([name, rule]) => rule.safeParse(draft[name as keyof Draft]).success)

/** What decides how far a visitor may go. */
type Progress = Pick<State, 'draft' | 'phones' | 'receipt'>

const isComplete: Record<Step, (progress: Progress) => boolean> = {
  PRODUCT_SELECTION: ({ draft }) => Boolean(draft.product_ids),
  AUTOSHIP: () => true,
  SPECIAL: () => true,
  ACCOUNT: ({ draft }) => passes(fieldRules.ACCOUNT, draft),
  CODE_VERIFICATION: ({ draft, phones }) => phones[draft.mobile_phone ?? '']?.verified === true,
  ACCOUNT_CREATION: ({ draft }) =>
    passes(fieldRules.ACCOUNT_CREATION, draft) && !passwordProblem(draft.password ?? '', draft),
  PAYMENT: () => false,
  ACCESS: () => false,
}

/**
 * The target step, or the first incomplete step before it. After a reload, which drops the password, a payment that may be
 * under way comes first. Once the payment is done the draft is empty, and every step leads to its result.
 */
export function reachableStep(target: Step, progress: Progress, policy: Policy): Step {
  const { draft, receipt } = progress
  if (receipt && !draft.password && (target === 'PAYMENT' || target === 'ACCESS')) return target
  if (receipt && !Object.keys(draft).length) return 'PAYMENT'
  let step: Step = 'PRODUCT_SELECTION'
  while (step !== target && isComplete[step](progress)) step = nextStep(step, policy)
  return step
}
