import * as z from 'zod/mini'
import { type ConsoleCall, textLine } from './console-access-calls.ts'

const count = z.int()

export const breakerNames = ['declines', 'codes'] as const
const breaker = z.enum(breakerNames, 'Please choose a breaker.')

/** For how long something is closed by hand. */
export const restrictionHours = ['1', '6', '24', '72', '168', '720'] as const
const hours = z.enum(restrictionHours, 'Please choose for how long.')
/** 'open': until somebody opens joining again. */
const pauseHours = z.enum([...restrictionHours, 'open'], 'Please choose for how long.')

/** How many in the last day and in the last week. */
const Recent = { day: count, week: count }

export const AbuseView = z.object({
  pause: z.optional(z.object({ message: z.string(), since: z.string(), ends_at: z.optional(z.string()) })),
  breakers: z.array(
    z.object({
      name: breaker,
      /** 'off': the settings turn it off. */
      state: z.enum(['open', 'closed', 'off']),
      open_until: z.optional(z.string()),
      /** When it opens by itself. */
      rule: z.string(),
    }),
  ),
  history: z.array(
    z.object({
      breaker,
      at: z.string(),
      kind: z.enum(['tripped', 'opened', 'closed']),
      open_until: z.optional(z.string()),
    }),
  ),
  blocks: z.array(
    z.object({ id: z.string(), network: z.string(), note: z.string(), since: z.string(), expires_at: z.string() }),
  ),
  declines: z.object({
    classes: z.array(z.object({ name: z.enum(['input', 'card', 'bank', 'fraud']), ...Recent })),
    /** There are more than are counted. */
    is_capped: z.boolean(),
  }),
  limits: z.array(
    z.object({ name: z.string(), text: z.string(), max: count, seconds: count, refused: z.object(Recent) }),
  ),
})

/** A request has at most 64 kB, and base64 is a third longer. */
export const LOGO_MAX_BYTES = 40_000

export const radii = ['0rem', '0.3125rem', '0.625rem', '1rem'] as const

/** '' stands for what is built in. */
const ownText = (max: number) =>
  z.string('Please enter a text.').check(
    z.overwrite((text) => text.trim().normalize()),
    z.maxLength(max, `Please use at most ${max} characters.`),
    z.refine((text) => !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text), 'Please use a single line of text.'),
  )
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/

const BrandForm = z.object({
  name: ownText(40),
  accent: ownText(7).check(
    z.overwrite((text) => text.toLowerCase()),
    z.regex(/^(?:#[\da-f]{6})?$/, 'Please enter a color such as #0b5d4a.'),
  ),
  radius: z.enum(radii, 'Please choose the corners.'),
  support: ownText(200).check(
    z.refine(
      (text) => !text || EMAIL.test(text) || (text.startsWith('https://') && URL.canParse(text)),
      'Please enter an email address, or an address that starts with https://.',
    ),
  ),
  email_footer: ownText(300),
  welcome: ownText(200),
})

export const BrandView = z.object({
  ...BrandForm.shape,
  logo_url: z.optional(z.string()),
  /** What counts where nothing is set. */
  built_in: z.object({ name: z.string(), accent: z.string(), support: z.string() }),
})

/** What a visitor does, in order. */
export const funnelSteps = ['opened', 'code', 'details', 'pay', 'joined'] as const
export const funnelDevices = ['phone', 'tablet', 'desktop'] as const
/** From utm_source in the link. */
export const funnelSources = ['none', 'search', 'social', 'email', 'print', 'other'] as const
export const funnelDays = ['7', '28', '90'] as const

const FunnelFilter = z.object({
  days: z.optional(z.enum(funnelDays, 'Please choose a time.')),
  site: z.optional(z.string().check(z.regex(/^[a-z0-9_-]{1,30}$/, 'Please enter the word in a sponsor’s link.'))),
  device: z.optional(z.enum(funnelDevices, 'Please choose a device.')),
  source: z.optional(z.enum(funnelSources, 'Please choose a source.')),
})
const FunnelRow = z.object({ name: z.string(), opened: count, joined: count })

export const FunnelView = z.object({
  steps: z.array(z.object({ step: z.enum(funnelSteps), count })),
  days: z.array(FunnelRow),
  /** The sponsors whose pages were opened most. */
  sites: z.array(FunnelRow),
  devices: z.array(FunnelRow),
  sources: z.array(FunnelRow),
  /** What the form showed most at its fields, by visitors and whatever the filter. '' is a message that is not of the form. */
  messages: z.array(z.object({ field: z.string(), message: z.string(), count })),
  /** The fields that the server refused most, whatever the filter. */
  fields: z.array(z.object({ field: z.string(), count })),
})

/** Limits, breakers, blocked networks and the pause. */
export const consoleSiteCalls = {
  getAbuse: {
    method: 'GET',
    path: '/console/abuse',
    summary: 'Get limits, breakers, blocks and declined cards',
    permission: 'see_abuse',
    input: z.object({}),
    output: AbuseView,
  },
  openBreaker: {
    method: 'POST',
    path: '/console/abuse/breaker/open',
    summary: 'Open a breaker for a time',
    permission: 'manage_abuse',
    input: z.object({ breaker, hours }),
    output: AbuseView,
  },
  closeBreaker: {
    method: 'POST',
    path: '/console/abuse/breaker/close',
    summary: 'Close a breaker; its count starts over',
    permission: 'manage_abuse',
    input: z.object({ breaker }),
    output: AbuseView,
  },
  blockNetwork: {
    method: 'POST',
    path: '/console/abuse/block',
    summary: 'Keep a network from using the form, for a time',
    permission: 'manage_abuse',
    input: z.object({
      network: textLine('Please enter an address or a network.', 60),
      hours,
      note: textLine('Please say why, for your colleagues.', 200),
    }),
    output: AbuseView,
  },
  liftBlock: {
    method: 'POST',
    path: '/console/abuse/lift',
    summary: 'Lift the block of a network',
    permission: 'manage_abuse',
    input: z.object({ id: z.uuid('This is not a block.') }),
    output: AbuseView,
  },
  pauseJoining: {
    method: 'POST',
    path: '/console/abuse/pause',
    summary: 'Pause joining, with a sentence for visitors',
    permission: 'manage_abuse',
    input: z.object({ message: textLine('Please enter what visitors read.', 200), hours: pauseHours }),
    output: AbuseView,
  },
  resumeJoining: {
    method: 'POST',
    path: '/console/abuse/resume',
    summary: 'Open joining again',
    permission: 'manage_abuse',
    input: z.object({}),
    output: AbuseView,
  },
  getBrand: {
    method: 'GET',
    path: '/console/brand',
    summary: 'Get the name, logo, colors and texts of the site',
    permission: 'see_brand',
    input: z.object({}),
    output: BrandView,
  },
  changeBrand: {
    method: 'POST',
    path: '/console/brand',
    summary: 'Change the name, colors and texts of the site',
    permission: 'manage_brand',
    needsProof: true,
    input: BrandForm,
    output: BrandView,
  },
  changeLogo: {
    method: 'POST',
    path: '/console/brand/logo',
    summary: 'Replace the logo by an SVG, PNG or JPEG file',
    permission: 'manage_brand',
    needsProof: true,
    input: z.object({
      /** The file in base64. */
      logo: z
        .string('Please choose a file.')
        .check(z.minLength(1, 'Please choose a file.'), z.maxLength(56_000, 'A logo has at most 40 kB.')),
    }),
    output: BrandView,
  },
  removeLogo: {
    method: 'POST',
    path: '/console/brand/logo/remove',
    summary: 'Go back to the built-in logo',
    permission: 'manage_brand',
    needsProof: true,
    input: z.object({}),
    output: BrandView,
  },
  getFunnel: {
    method: 'GET',
    path: '/console/funnel',
    summary: 'Get how many visitors reached each step',
    permission: 'see_funnel',
    input: FunnelFilter,
    output: FunnelView,
  },
} as const satisfies Record<string, ConsoleCall>

export type FunnelStep = (typeof funnelSteps)[number]
export type FunnelDevice = (typeof funnelDevices)[number]
export type FunnelSource = (typeof funnelSources)[number]
export type FunnelFilter = z.infer<typeof FunnelFilter>
export type FunnelView = z.infer<typeof FunnelView>
export type BrandView = z.infer<typeof BrandView>
export type BrandForm = z.infer<typeof BrandForm>
export type AbuseView = z.infer<typeof AbuseView>
