import type { Package, Sponsor } from './api.ts'
import { figures } from './figures.ts'
import { groupOf } from './packages.ts'

/** The steps of the wizard, in the spec's words. */
export type Step =
  | 'PRODUCT_SELECTION'
  | 'AUTOSHIP'
  | 'SPECIAL'
  | 'ACCOUNT'
  | 'CODE_VERIFICATION'
  | 'ACCOUNT_CREATION'
  | 'PAYMENT'
  | 'ACCESS'

/** What the operator has switched on. */
export type Policy = {
  start_step: 'ACCOUNT' | 'PRODUCT_SELECTION'
  autoship: boolean
  special: boolean
  phone_verification: boolean
}

/** A captcha that another company asks: its script, what that calls when it is there and leaves behind, and our key. */
export type VendorCaptcha = { script: string; onload: string; global: string; site_key: string }

/** What the page needs before its first field is usable. It stands in the HTML, so no call comes before it. */
export type StartData = {
  sponsor: Sponsor
  /** The word of a link that led nowhere, when the visitor came from one. */
  unknown_site?: string
  /** Another sponsor whose link the visitor opened later. */
  other_sponsor?: Pick<Sponsor, 'site' | 'name'>
  /** Comes with it: `sponsor` was chosen by name, and is not only the one whose link came first. */
  is_chosen?: boolean
  packages: Package[]
  /** The preselected package, if there is one. */
  product_id?: number
  grand_total: string
  /** The day of the first renewal, '2026-12-15'. */
  renews_on: string
  policy: Policy
  /** Payments are simulated: the page says so. */
  test_payments: boolean
  /** Missing: our own. */
  captcha?: VendorCaptcha
}

/** All that the page can be told when the database does not answer: it is served all the same, and asks /api itself. */
export type FallbackStart = { sponsor_site: string } & Pick<
  StartData,
  'renews_on' | 'policy' | 'test_payments' | 'captcha'
>

/** The package that a page begins with, if it is offered. */
export const preselectedPackage = (packages: Package[]): Package | undefined =>
  packages.find((found) => found.product_id === figures.starter_product_id && groupOf(found) === 'starter')
