import * as z from 'zod/mini'
import { SITE_PATTERN } from '#contract/site.ts'
import type { ConsoleCall } from './permissions.ts'

const count = z.int()

/** What a visitor does, in order. */
export const funnelSteps = ['opened', 'code', 'details', 'pay', 'joined'] as const
export const funnelDevices = ['phone', 'tablet', 'desktop'] as const
/** From utm_source in the link. */
export const funnelSources = ['none', 'search', 'social', 'email', 'print', 'other'] as const
export const funnelDays = ['7', '28', '90'] as const

const FunnelFilter = z.object({
  days: z.optional(z.enum(funnelDays, 'Please choose a time.')),
  site: z.optional(z.string().check(z.regex(SITE_PATTERN, 'Please enter the word in a sponsor’s link.'))),
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

/** How far visitors get. */
export const consoleFunnelCalls = {
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
