import * as z from 'zod/mini'
import { fields } from '#contract/fields.ts'
import { passwordProblem } from '#contract/password.ts'
import type { Policy, Step } from '#contract/start.ts'
import { nextStep } from '#web/enroll/flow.ts'
import { isVerified } from '#web/enroll/steps/code-verification/phoneStatus.ts'
import { isOrdered, receiptOf } from '#web/enroll/steps/payment/receipt.ts'
import type { Draft } from '#web/storage.ts'

// The rules are a chunk of their own: a visitor can type before they are here.

const { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella } = fields
const { code, email, username, password } = fields
const { country, address, address2, city, state, post_code, cc_number, cc_month, cc_year, cc_cvv } = fields
const { is_shipping_different, agreement_1, agreement_2, captcha } = fields

/** Whatever stands there. Where a parcel goes is looked at by acrossPayment: an address that is not asked for stops nobody. */
const anything = z._default(z.string('Please send a text.'), '')

/** Which fields a step asks for, each with its rule. */
export const asked = {
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

const fits = (rules: Partial<typeof fields>) => (draft: Draft) =>
  Object.entries(rules).every(([name, rule]) => rule.safeParse(draft[name as keyof Draft]).success)

/** Whether a step can be left forward with what has been answered. */
const complete: Record<Step, (draft: Draft) => boolean> = {
  PRODUCT_SELECTION: (draft) => Boolean(draft.product_ids),
  AUTOSHIP: () => true,
  SPECIAL: () => true,
  ACCOUNT: fits(asked.ACCOUNT),
  CODE_VERIFICATION: ({ mobile_phone }) => isVerified(mobile_phone ?? ''),
  ACCOUNT_CREATION: (draft) => fits(asked.ACCOUNT_CREATION)(draft) && !passwordProblem(draft.password ?? '', draft),
  PAYMENT: () => false,
  ACCESS: () => false,
}

/**
 * The wanted step, or the first one on the way there that still lacks an answer. Nobody passes an invalid step. Where a
 * payment may be under way and the password is gone, by a reload or because it is done, what became of it comes first. Who
 * has paid has no answers left, and every way back ends there.
 */
export function reachable(wanted: Step, draft: Draft, policy: Policy): Step {
  if (!draft.password && isOrdered(wanted)) return wanted
  if (!Object.keys(draft).length && receiptOf()) return 'PAYMENT'
  let step: Step = 'PRODUCT_SELECTION'
  while (step !== wanted && complete[step](draft)) step = nextStep(step, policy)
  return step
}
