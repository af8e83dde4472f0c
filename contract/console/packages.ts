import * as z from 'zod/mini'
import { Package } from '#contract/api.ts'
import { occasions } from '#contract/commission.ts'
import { figures } from '#contract/figures.ts'
import { picture } from '#contract/office/office.ts'
import {
  day,
  dollarAmount,
  formVersion,
  optionalDollarAmount,
  positiveNumber,
  reason,
  textLine,
  volume,
} from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

/** Empty for a package that is paid once. */
const renewal_price = optionalDollarAmount
const yesNo = z.enum(['0', '1'], 'This must be 0 or 1.')

export const packageGroups = ['starter', 'subscription', 'special'] as const
export const appliesTo = ['new_members', 'all_members'] as const
export const billingIntervals = ['month', 'year', 'once'] as const

const product_id = positiveNumber('This is not a package.')
/** What can be edited at any time, because no agreement depends on it. */
const packageFields = {
  name: textLine('Please enter a name.', figures.text_length),
  description: z.string('Please enter a description.').check(
    z.overwrite((text) => text.trim()),
    z.maxLength(300, 'Please use at most 300 characters.'),
    z.refine((text) => !/\p{Cc}/u.test(text), 'Please use one line.'),
  ),
  /** The list of the order that it is in. */
  group: z.enum(packageGroups, 'Please choose a list.'),
  ships: yesNo,
}

const PackageRow = z.object({
  ...Package.shape,
  group: z.enum(packageGroups),
  product_category_id: z.int(),
  language_id: z.int(),
  /** Visitors of this site can choose it. */
  is_ours: z.boolean(),
  /** It is chosen when a page opens. */
  is_preselected: z.boolean(),
  withdrawn_at: z.optional(z.string()),
})
const PackageList = z.object({ packages: z.array(PackageRow) })

const amount = Package.shape.price
const PackagePage = z.object({
  ...PackageRow.shape,
  /** Of what can be edited. */
  version: z.string(),
  /** New renewal prices, newest first. While one is not done, members are still being told. */
  price_changes: z.array(
    z.object({
      old_price: amount,
      new_price: amount,
      made_at: z.string(),
      made_by: z.string(),
      reason: z.string(),
      notice_days: z.int(),
      told: z.int(),
      done_at: z.optional(z.string()),
    }),
  ),
  /** Each price's volumes in a commission plan. Without volumes for the prices of today, a month can't be closed. */
  volumes: z.array(
    z.object({
      occasion: z.enum(occasions),
      price: amount,
      /** It's the price of today. */
      is_current: z.boolean(),
      business_volume: z.optional(amount),
      commissionable_volume: z.optional(amount),
      set_by: z.optional(z.string()),
      set_at: z.optional(z.string()),
    }),
  ),
})

/** Members who pay the same for a package. */
const PriceGroup = z.object({
  pays: amount,
  announced: z.optional(amount),
  members: z.int(),
  /** When they would pay the new price; absent if nothing changes for them. */
  change: z.optional(z.enum(['next_renewal', 'after_notice'])),
})

const aboutPackage = z.object({ product_id })

/** Packages: what visitors can choose, and at what price. */
export const consolePackageCalls = {
  listPackages: {
    method: 'GET',
    path: '/console/packages',
    summary: 'List all packages in the operator’s order',
    permission: 'see_catalog',
    input: z.object({}),
    output: PackageList,
  },
  getPackage: {
    method: 'GET',
    path: '/console/packages/:product_id',
    summary: 'Get a package and its price changes',
    permission: 'see_catalog',
    input: aboutPackage,
    output: PackagePage,
  },
  addPackage: {
    method: 'POST',
    path: '/console/packages/add',
    summary: 'Add a package',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({
      ...packageFields,
      price: dollarAmount,
      renewal_price,
      billing_interval: z.enum(billingIntervals, 'Please choose how often it renews.'),
    }),
    output: PackagePage,
  },
  editPackage: {
    method: 'POST',
    path: '/console/packages/edit',
    summary: 'Change what a package is called and where it is offered',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({ product_id, ...packageFields, version: formVersion }),
    output: PackagePage,
  },
  movePackage: {
    method: 'POST',
    path: '/console/packages/move',
    summary: 'Move a package up or down in its list',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({ product_id, direction: z.enum(['up', 'down'], 'Please choose a direction.') }),
    output: PackageList,
  },
  withdrawPackage: {
    method: 'POST',
    path: '/console/packages/withdraw',
    summary: 'Offer a package no longer; members who have it keep it',
    permission: 'manage_catalog',
    needsProof: true,
    input: aboutPackage,
    output: PackagePage,
  },
  offerPackage: {
    method: 'POST',
    path: '/console/packages/offer',
    summary: 'Offer a withdrawn package again',
    permission: 'manage_catalog',
    needsProof: true,
    input: aboutPackage,
    output: PackagePage,
  },
  setPackagePicture: {
    method: 'POST',
    path: '/console/packages/picture',
    summary: 'Set the picture of a package: a JPEG as base64',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({ product_id, picture }),
    output: PackagePage,
  },
  getPriceEffect: {
    method: 'GET',
    path: '/console/package-price-effect',
    summary: 'Get what a new renewal price would do to the next members who have the package',
    permission: 'see_catalog',
    input: z.object({ product_id, renewal_price: dollarAmount, after: z.optional(z.uuid('This is not a member.')) }),
    output: z.object({
      groups: z.array(PriceGroup),
      /** Canceled or on hold: they keep what they agreed to, until they resume or are released. */
      unaffected: z.int(),
      next: z.optional(z.string()),
    }),
  },
  changePrices: {
    method: 'POST',
    path: '/console/packages/prices',
    summary: 'Change the price today and the renewal price of a package',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({
      product_id,
      price: dollarAmount,
      renewal_price,
      /** Who pays the new renewal price. Members who have the package get an email if it changes for them. */
      applies_to: z.enum(appliesTo, 'Please choose who pays the new price.'),
      /** The day from which members who have the package pay a higher renewal price. */
      from_on: z.optional(day),
      reason,
      version: formVersion,
    }),
    output: PackagePage,
  },
  setVolumes: {
    method: 'POST',
    path: '/console/packages/volumes',
    summary: 'Set a price’s volumes for commission plans, from now on',
    permission: 'manage_catalog',
    needsProof: true,
    input: z.object({
      product_id,
      occasion: z.enum(occasions, 'Please choose when it’s paid.'),
      price: dollarAmount,
      business_volume: volume,
      commissionable_volume: volume,
    }),
    output: PackagePage,
  },
} as const satisfies Record<string, ConsoleCall>

export type PackageRow = z.infer<typeof PackageRow>
export type PackagePage = z.infer<typeof PackagePage>
export type PriceGroup = z.infer<typeof PriceGroup>
