import * as z from 'zod/mini'
import { LegalDocument, Package } from './api.ts'
import { type ConsoleCall, reason, textLine } from './console-access-calls.ts'
import { figures } from './figures.ts'
import { PICTURE_MAX_LENGTH } from './office-calls.ts'
import { SITE_PATTERN } from './site.ts'

const day = z.string('Please enter a day.').check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'Please enter a day.'))
const number = (message: string) =>
  z.coerce.number(message).check(z.int(message), z.minimum(1, message), z.maximum(2 ** 31 - 1, message))
const after = z.optional(z.string().check(z.maxLength(200, 'This page of the list does not exist.')))

const document_id = number('This is not a document.')
const version = number('This is not a version.')

/** Fits into a call, whatever letters it is written with. */
export const DOCUMENT_MAX_LENGTH = 20_000
const content = z.string('Please enter a text.').check(
  z.refine((text) => text.trim() !== '', 'Please enter a text.'),
  z.maxLength(DOCUMENT_MAX_LENGTH, `Please use at most ${DOCUMENT_MAX_LENGTH} characters.`),
  z.refine((text) => !/(?![\t\n\r])\p{Cc}/u.test(text), 'The text has a control character.'),
)

/** A number that is not counted beyond some thousands. */
const Count = z.object({ count: z.int(), is_capped: z.boolean() })

const Scheduled = z.object({ title: z.string(), content: z.string(), publish_at: z.string(), scheduled_by: z.string() })

const DocumentRow = z.object({
  id: z.int(),
  title: z.string(),
  status: z.string(),
  /** Visitors accept it before they pay. */
  is_at_checkout: z.boolean(),
  version: z.int(),
  sha256: z.string(),
  published_at: z.optional(z.string()),
  accepted: Count,
  scheduled_at: z.optional(z.string()),
})

const DocumentPage = z.object({
  ...DocumentRow.shape,
  content: z.string(),
  scheduled: z.optional(Scheduled),
  /** Newest first. */
  versions: z.array(
    z.object({
      version: z.int(),
      title: z.string(),
      sha256: z.string(),
      published_at: z.optional(z.string()),
      published_by: z.optional(z.string()),
      accepted: Count,
    }),
  ),
})

const aboutDocument = z.object({ document_id })
const aboutVersion = z.object({ document_id, version })

/** Legal documents: what is live, what was, who accepted it, and what comes next. */
const consoleDocumentCalls = {
  listDocuments: {
    method: 'GET',
    path: '/console/documents',
    summary: 'List the legal documents with their live version',
    permission: 'see_catalog',
    input: z.object({}),
    output: z.object({ documents: z.array(DocumentRow) }),
  },
  getDocument: {
    method: 'GET',
    path: '/console/documents/:document_id',
    summary: 'Get a document with its versions',
    permission: 'see_catalog',
    input: aboutDocument,
    output: DocumentPage,
  },
  getDocumentVersion: {
    method: 'GET',
    path: '/console/documents/:document_id/versions/:version',
    summary: 'Get the text of a version, and of the one before it',
    permission: 'see_catalog',
    input: aboutVersion,
    output: z.object({
      title: z.string(),
      content: z.string(),
      before: z.optional(z.object({ version: z.int(), title: z.string(), content: z.string() })),
    }),
  },
  listAcceptances: {
    method: 'GET',
    path: '/console/document-acceptances',
    summary: 'List who accepted a version, newest first, in pages',
    permission: 'see_members',
    input: z.object({ ...aboutVersion.shape, after }),
    output: z.object({
      members: z.array(z.object({ id: z.string(), name: z.string(), username: z.string(), accepted_at: z.string() })),
      next: z.optional(z.string()),
    }),
  },
  previewDocument: {
    method: 'POST',
    path: '/console/documents/preview',
    summary: 'Get a text as it would be stored',
    permission: 'publish_documents',
    input: z.object({ content }),
    output: z.pick(LegalDocument, { content: true, sha256: true }),
  },
  publishDocument: {
    method: 'POST',
    path: '/console/documents/publish',
    summary: 'Publish a new version, now or on a day',
    permission: 'publish_documents',
    input: z.object({
      /** With the version that was on the screen: if there is a newer one, nothing is published. */
      ...aboutVersion.shape,
      title: textLine('Please enter a title.', figures.text_length),
      content,
      /** As this day begins in the operator's time zone. Without it, now. */
      publish_on: z.optional(day),
    }),
    output: DocumentPage,
  },
  unscheduleDocument: {
    method: 'POST',
    path: '/console/documents/unschedule',
    summary: 'Take back a version that is scheduled',
    permission: 'publish_documents',
    input: aboutDocument,
    output: DocumentPage,
  },
} as const satisfies Record<string, ConsoleCall>

const NO_AMOUNT = 'Please enter an amount in dollars, such as 25.00.'
const dollars = (text: string) =>
  text
    .trim()
    .replace(/^\$/, '')
    .replace(/^(\d+)$/, '$1.00')
const price = z.string(NO_AMOUNT).check(z.overwrite(dollars), z.regex(/^\d{1,7}\.\d{2}$/, NO_AMOUNT))
/** Empty for a package that is paid once. */
const renewal_price = z.string(NO_AMOUNT).check(z.overwrite(dollars), z.regex(/^(?:\d{1,7}\.\d{2})?$/, NO_AMOUNT))
const yesNo = z.enum(['0', '1'], 'This must be 0 or 1.')

export const packageGroups = ['starter', 'subscription', 'special'] as const
export const billingIntervals = ['month', 'year', 'once'] as const

const product_id = number('This is not a package.')
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
  product_category_id: number('Please enter a number.'),
  language_id: number('Please enter a number.'),
}

const BAD_PICTURE = 'This is not a picture that we can show. Please choose another one.'
const picture = z
  .string(BAD_PICTURE)
  .check(z.minLength(1, BAD_PICTURE), z.maxLength(PICTURE_MAX_LENGTH, BAD_PICTURE), z.base64(BAD_PICTURE))

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
const consolePackageCalls = {
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
      price,
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
    input: z.object({ product_id, ...packageFields }),
    output: PackagePage,
  },
  movePackage: {
    method: 'POST',
    path: '/console/packages/move',
    summary: 'Move a package up or down in its list',
    permission: 'manage_catalog',
    input: z.object({ product_id, direction: z.enum(['up', 'down'], 'Please choose a direction.') }),
    output: PackageList,
  },
  withdrawPackage: {
    method: 'POST',
    path: '/console/packages/withdraw',
    summary: 'Offer a package no longer; members who have it keep it',
    permission: 'manage_catalog',
    input: aboutPackage,
    output: PackagePage,
  },
  offerPackage: {
    method: 'POST',
    path: '/console/packages/offer',
    summary: 'Offer a withdrawn package again',
    permission: 'manage_catalog',
    input: aboutPackage,
    output: PackagePage,
  },
  setPackagePicture: {
    method: 'POST',
    path: '/console/packages/picture',
    summary: 'Set the picture of a package: a JPEG as base64',
    permission: 'manage_catalog',
    input: z.object({ product_id, picture }),
    output: PackagePage,
  },
  getPriceEffect: {
    method: 'GET',
    path: '/console/package-price-effect',
    summary: 'Get what a new renewal price would do to the next members who have the package',
    permission: 'see_catalog',
    input: z.object({ product_id, renewal_price: price, after: z.optional(z.uuid('This is not a member.')) }),
    output: z.object({
      groups: z.array(PriceGroup),
      /** Canceled or on hold: they keep what they agreed to. */
      left_alone: z.int(),
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
      price,
      renewal_price,
      /** The day from which members who have the package pay a higher renewal price. */
      from_on: z.optional(day),
      reason,
    }),
    output: PackagePage,
  },
} as const satisfies Record<string, ConsoleCall>

const sponsor_id = z.uuid('This is not a sponsor.')
const site = z.string('Please enter the word of the link.').check(
  z.overwrite((text) => text.trim().toLowerCase().replace(/^\//, '')),
  z.minLength(1, 'Please enter the word of the link.'),
  z.regex(SITE_PATTERN, 'Please use 1 to 30 letters and digits.'),
)

const SponsorRow = z.object({
  id: z.string(),
  /** The word of the link. */
  site: z.string(),
  name: z.string(),
  is_active: z.boolean(),
  active_until: z.optional(z.string()),
  picture_url: z.optional(z.string()),
  /** The sponsor is a member. */
  member_id: z.optional(z.string()),
  /** The main site: it cannot be renamed or switched off. */
  is_main: z.boolean(),
  created_on: day,
  /** In the last 30 days, through this link and its earlier ones. */
  visits: z.int(),
  joins: z.int(),
})

const SponsorPage = z.object({
  ...SponsorRow.shape,
  link: z.string(),
  /** They lead to this one. */
  earlier_sites: z.array(z.string()),
  days: z.array(z.object({ day, visits: z.int(), joins: z.int() })),
})

const aboutSponsor = z.object({ sponsor_id })

/** Sponsors: whose links lead to the site. */
const consoleSponsorCalls = {
  listSponsors: {
    method: 'GET',
    path: '/console/sponsors',
    summary: 'List sponsors, newest first, in pages, or search them',
    permission: 'see_sponsors',
    input: z.object({
      search: z.optional(z.string().check(z.maxLength(100, 'Please use at most 100 characters.'))),
      /** 'own': only those who are not members. */
      kind: z.optional(z.enum(['own', 'all'], 'Please choose who to list.')),
      after,
    }),
    output: z.object({
      sponsors: z.array(SponsorRow),
      next: z.optional(z.string()),
      /** The search matches more than are shown. */
      is_capped: z.boolean(),
    }),
  },
  getSponsorPage: {
    method: 'GET',
    path: '/console/sponsors/:sponsor_id',
    summary: 'Get a sponsor with visits and joins of the last 30 days',
    permission: 'see_sponsors',
    input: aboutSponsor,
    output: SponsorPage,
  },
  addSponsor: {
    method: 'POST',
    path: '/console/sponsors/add',
    summary: 'Add a sponsor who is not a member',
    permission: 'manage_sponsors',
    input: z.object({ site, name: textLine('Please enter a name.', figures.text_length) }),
    output: SponsorPage,
  },
  activateSponsor: {
    method: 'POST',
    path: '/console/sponsors/activate',
    summary: 'Switch a sponsor’s link on',
    permission: 'manage_sponsors',
    input: aboutSponsor,
    output: SponsorPage,
  },
  deactivateSponsor: {
    method: 'POST',
    path: '/console/sponsors/deactivate',
    summary: 'Switch a sponsor’s link off, now or after a day',
    permission: 'manage_sponsors',
    input: z.object({ sponsor_id, last_day: z.optional(day), reason }),
    output: SponsorPage,
  },
  renameSponsor: {
    method: 'POST',
    path: '/console/sponsors/rename',
    summary: 'Give a sponsor another link; the old one leads to it',
    permission: 'manage_sponsors',
    input: z.object({ sponsor_id, site, reason }),
    output: SponsorPage,
  },
  setSponsorPicture: {
    method: 'POST',
    path: '/console/sponsors/picture',
    summary: 'Set the picture on a sponsor’s page: a square JPEG as base64',
    permission: 'manage_sponsors',
    input: z.object({ sponsor_id, picture }),
    output: SponsorPage,
  },
  removeSponsorPicture: {
    method: 'POST',
    path: '/console/sponsors/picture/remove',
    summary: 'Remove the picture of a sponsor',
    permission: 'manage_sponsors',
    input: aboutSponsor,
    output: SponsorPage,
  },
} as const satisfies Record<string, ConsoleCall>

/** What visitors can choose, what they agree to, and whose links lead here. */
export const consoleCatalogCalls = {
  ...consoleSponsorCalls,
  ...consolePackageCalls,
  ...consoleDocumentCalls,
} as const satisfies Record<string, ConsoleCall>

export type DocumentRow = z.infer<typeof DocumentRow>
export type DocumentPage = z.infer<typeof DocumentPage>
export type PackageRow = z.infer<typeof PackageRow>
export type PackagePage = z.infer<typeof PackagePage>
export type PriceGroup = z.infer<typeof PriceGroup>
export type SponsorRow = z.infer<typeof SponsorRow>
export type SponsorPage = z.infer<typeof SponsorPage>
export type CappedCount = z.infer<typeof Count>
