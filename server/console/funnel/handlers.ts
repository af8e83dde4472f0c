import type { consoleFunnelCalls } from '#contract/console/funnel.ts'
import { forReports } from '#server/world/world.ts'
import type { HandlersOf } from '../console.ts'
import { viewFunnel } from './funnel.ts'

export const funnelHandlers = {
  getFunnel: async (input, { world }) => viewFunnel(await forReports(world), input),
} satisfies HandlersOf<typeof consoleFunnelCalls>
