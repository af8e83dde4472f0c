import type { Package, Sponsor } from './api.ts'
import { figures } from './figures.ts'
import { groupOf } from './packages.ts'
import type { Interval } from './renewal.ts'

/** The steps of the wizard, named as in the spec. */
export type Step =
  | 'PRODUCT_SELECTION'
  | 'AUTOSHIP'
  | 'SPECIAL'
  | 'ACCOUNT'
  | 'CODE_VERIFICATION'
  | 'ACCOUNT_CREATION'
  | 'PAYMENT'
  | 'ACCESS'

/** What the operator has turned on. */
export type Policy = {
  start_step: 'ACCOUNT' | 'PRODUCT_SELECTION'
  autoship: boolean
  special: boolean
  phone_verification: boolean
  /** Set with phone verification: the countries that codes are sent to, and what visitors from elsewhere are told. */
  code_countries?: { codes: string[]; elsewhere: string }
  /** With phone verification: a code can also be spoken. */
  voice_call?: boolean
  /** Passwords only have to meet the spec's rule. */
  common_passwords?: 'allow'
  /** How long ACCESS stays before the office opens. Undefined: as in figures. */
  access_seconds?: number
  /** The site runs in front of an operator's API host, which keeps the members: we send no emails and have no office. */
  provider?: true
  /** Undefined: as in figures. */
  catalog?: Catalog
  /** Then: where members sign in, if the operator has set it. */
  office_url?: string
}

/** The packages that this site sells, and the one that is preselected. */
export type Catalog = { product_category_id: number; language_id: number; starter_product_id: number }

/** A third-party captcha: its script, the callback it calls once loaded, the global it defines, and our site key. */
export type VendorCaptcha = { script: string; onload: string; global: string; site_key: string }

/** 'off': the page shows none. */
export type PageCaptcha = VendorCaptcha | 'off'

/** Everything the page needs before its first field is usable. Embedded in the HTML, so the page makes no call for it. */
export type StartData = {
  sponsor: Sponsor
  /** The site of the link that the visitor opened, if no sponsor has it. */
  unknown_site?: string
  /** Another sponsor, whose link the visitor opened first. */
  earlier_sponsor?: Pick<Sponsor, 'site' | 'name'>
  /** The username of someone who has joined in this browser: the page offers the office or another enrollment. */
  joined_as?: string
  packages: Package[]
  /** The preselected package, if there is one. */
  product_id?: number
  grand_total: string
  /** In the operator's time zone. A page that stays open for days counts on from here. */
  today: string
  time_zone: string
  /** The day of the first renewal, '2026-12-15', for a package that renews monthly or yearly. */
  renews_on: Record<Interval, string>
  policy: Policy
  /** The hosts whose visits are counted. On another one the page does not even report them. */
  site_hosts: string[]
  /** Payments are simulated, and the page says so. */
  test_payments: boolean
  /** Undefined: our own captcha. */
  captcha?: PageCaptcha
}

/** The start data while the database does not answer. The page is served anyway and calls the API itself. */
export type FallbackStart = { sponsor_site: string } & Pick<
  StartData,
  'today' | 'time_zone' | 'renews_on' | 'policy' | 'site_hosts' | 'test_payments' | 'captcha'
>

/** The package that is selected at first, if it is offered. */
export const preselectedPackage = (
  packages: Package[],
  { starter_product_id }: Pick<Catalog, 'starter_product_id'> = figures,
): Package | undefined =>
  packages.find((offer) => offer.product_id === starter_product_id && groupOf(offer) === 'starter')
