import * as z from 'zod/mini'
import { fields } from '#contract/fields.ts'
import { passwordProblem } from '#contract/password.ts'
import { hasPossibleLength } from '#contract/phone.ts'
import type { Policy, Step } from '#contract/start.ts'
import { countriesOf } from '#web/form/dial-codes.ts'
import type { Draft } from '#web/storage.ts'
import { nextStep } from '../flow.ts'
import type { State } from './state.ts'
import './reportMessages.ts'

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
    country,
    address,
    address2,
    city,
    state,
    post_code,
    is_shipping_different,
    ship_address: anything,
    ship_address2: anything,
    ship_city: anything,
    ship_country: anything,
    ship_state: anything,
    ship_zip_code: anything,
    cc_number,
    cc_month,
    cc_year,
    cc_cvv,
    agreement_1,
    agreement_2,
    captcha,
  },
}

/** With phone verification, a number that no code can be sent to is rejected before Next. The server has the last word. */
export const accountRules = ({ code_countries }: Policy): typeof fieldRules.ACCOUNT => {
  if (!code_countries) return fieldRules.ACCOUNT
  const { codes, elsewhere } = code_countries
  const canGetCode = (number: string) => {
    const countries = countriesOf(number)
    return !countries.length || countries.some((country) => codes.includes(country))
  }
  const canExist = z.refine<string>(hasPossibleLength, 'Invalid mobile phone number format.')
  return { ...fieldRules.ACCOUNT, mobile_phone: mobile_phone.check(canExist, z.refine<string>(canGetCode, elsewhere)) }
}

/** Why a password is too easy to guess, if the operator minds. */
export const guessablePassword = (draft: Draft, { common_passwords }: Policy): string | undefined =>
  common_passwords === 'allow' ? undefined : passwordProblem(draft.password ?? '', draft)

const passes = (rules: Partial<typeof fields>, draft: Draft) =>
  Object.entries(rules).every(([name, rule]) => rule.safeParse(draft[name as keyof Draft]).success)

/** What decides how far a visitor may go. */
type Progress = Pick<State, 'draft' | 'phones' | 'receipt' | 'joinedAs'>

const isComplete: Record<Step, (progress: Progress, policy: Policy) => boolean> = {
  PRODUCT_SELECTION: ({ draft }) => Boolean(draft.product_ids),
  AUTOSHIP: () => true,
  SPECIAL: () => true,
  ACCOUNT: ({ draft }, policy) => passes(accountRules(policy), draft),
  CODE_VERIFICATION: ({ draft, phones }) => phones[draft.mobile_phone ?? '']?.verified === true,
  ACCOUNT_CREATION: ({ draft }, policy) =>
    passes(fieldRules.ACCOUNT_CREATION, draft) && !guessablePassword(draft, policy),
  PAYMENT: () => false,
  ACCESS: () => false,
}

/**
 * The target step, or the first incomplete step before it. After a reload, which drops the password, a payment that may be
 * under way comes first. Once it is paid, here or in another tab, every step leads to its result.
 */
export function reachableStep(target: Step, progress: Progress, policy: Policy): Step {
  const { draft, receipt, joinedAs } = progress
  if (joinedAs !== undefined) return 'PAYMENT'
  if (receipt && !draft.password && (target === 'PAYMENT' || target === 'ACCESS')) return target
  if (receipt && !Object.keys(draft).length) return 'PAYMENT'
  let step: Step = 'PRODUCT_SELECTION'
  while (step !== target && isComplete[step](progress, policy)) step = nextStep(step, policy)
  return step
}
