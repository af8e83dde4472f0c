import { fields } from '#contract/fields.ts'
import { groupOf, groupOfList, type OrderList, orderLists } from '#contract/packages.ts'
import type { Policy, StartData, Step } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { nextStep } from './flow.ts'

const { first_name, last_name, business_name, mobile_phone, hall_lantern, hall_umbrella } = fields
const { email, username, password } = fields

/** Which fields a step asks for, with their rules, in the order of the screen. */
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

/** What is known before the visitor has answered anything: the preselected package. */
export const emptyDraft = ({ product_id }: StartData): Draft =>
  product_id === undefined ? {} : { product_ids: String(product_id) }

/** A draft from an earlier visit, without packages that are no longer offered. */
export function refreshed(stored: Draft, start: StartData): Draft {
  const gone = orderLists.filter((list) => stored[list] !== undefined && !packagesIn(list, stored, start).length)
  const still = Object.entries(stored).filter(([name]) => !gone.includes(name as OrderList))
  return { ...emptyDraft(start), ...Object.fromEntries(still) }
}

/** The chosen packages of one list of the order. */
export const packagesIn = (list: OrderList, draft: Draft, { packages }: StartData) =>
  packages.filter(
    (found) => groupOf(found) === groupOfList[list] && draft[list]?.split(',').includes(String(found.product_id)),
  )

/** The order as the server sums it. */
export const orderOf = (draft: Draft): Record<OrderList, string> => ({
  product_ids: draft.product_ids ?? '',
  autoship_product_ids: draft.autoship_product_ids ?? '',
  special_product_ids: draft.special_product_ids ?? '',
})
