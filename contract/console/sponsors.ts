import * as z from 'zod/mini'
import { figures } from '#contract/figures.ts'
import { picture } from '#contract/office/office.ts'
import { looksLikeFile, SITE_PATTERN, SITE_RULE } from '#contract/site.ts'
import { day, formVersion, listKey, reason, textLine } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const sponsor_id = z.uuid('This is not a sponsor.')
const site = z.string('Please enter the word of the link.').check(
  z.overwrite((text) => text.trim().toLowerCase().replace(/^\//, '')),
  z.minLength(1, 'Please enter the word of the link.'),
  z.regex(SITE_PATTERN, SITE_RULE),
  z.refine((word) => !looksLikeFile(word), 'Please choose a word that doesn’t end like a file name.'),
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
  /** Of the link. */
  version: z.string(),
  /** They lead to this one. */
  earlier_sites: z.array(z.string()),
  days: z.array(z.object({ day, visits: z.int(), joins: z.int() })),
})

const aboutSponsor = z.object({ sponsor_id })

/** Sponsors: whose links lead to the site. */
export const consoleSponsorCalls = {
  listSponsors: {
    method: 'GET',
    path: '/console/sponsors',
    summary: 'List sponsors, newest or most visited first, in pages, or search them',
    permission: 'see_sponsors',
    showsMembers: true,
    input: z.object({
      search: z.optional(z.string().check(z.maxLength(200, 'Please use at most 200 characters.'))),
      /** 'own': only those who are not members. */
      kind: z.optional(z.enum(['own', 'all'], 'Please choose who to list.')),
      /** 'visits': by those of the last 30 full days. Without it, newest first. */
      sort: z.optional(z.enum(['newest', 'visits'], 'Please choose an order.')),
      after: listKey,
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
    showsMembers: true,
    input: aboutSponsor,
    output: SponsorPage,
  },
  addSponsor: {
    method: 'POST',
    path: '/console/sponsors/add',
    summary: 'Add a sponsor who is not a member',
    permission: 'manage_sponsors',
    needsProof: true,
    input: z.object({ site, name: textLine('Please enter a name.', figures.text_length) }),
    output: SponsorPage,
  },
  activateSponsor: {
    method: 'POST',
    path: '/console/sponsors/activate',
    summary: 'Switch a sponsor’s link on',
    permission: 'manage_sponsors',
    needsProof: true,
    input: aboutSponsor,
    output: SponsorPage,
  },
  deactivateSponsor: {
    method: 'POST',
    path: '/console/sponsors/deactivate',
    summary: 'Switch a sponsor’s link off, now or after a day',
    permission: 'manage_sponsors',
    needsProof: true,
    input: z.object({ sponsor_id, last_day: z.optional(day), reason }),
    output: SponsorPage,
  },
  renameSponsor: {
    method: 'POST',
    path: '/console/sponsors/rename',
    summary: 'Give a sponsor another link; the old one leads to it',
    permission: 'manage_sponsors',
    needsProof: true,
    input: z.object({ sponsor_id, site, version: formVersion, reason }),
    output: SponsorPage,
  },
  setSponsorPicture: {
    method: 'POST',
    path: '/console/sponsors/picture',
    summary: 'Set the picture on a sponsor’s page: a square JPEG as base64',
    permission: 'manage_sponsors',
    needsProof: true,
    input: z.object({ sponsor_id, picture }),
    output: SponsorPage,
  },
  removeSponsorPicture: {
    method: 'POST',
    path: '/console/sponsors/picture/remove',
    summary: 'Remove the picture of a sponsor',
    permission: 'manage_sponsors',
    needsProof: true,
    input: aboutSponsor,
    output: SponsorPage,
  },
} as const satisfies Record<string, ConsoleCall>

export type SponsorRow = z.infer<typeof SponsorRow>
export type SponsorPage = z.infer<typeof SponsorPage>
