import type { consoleFunnelCalls } from '#contract/console/funnel.ts'
import type { HandlersOf } from '../console.ts'
import { viewFunnel } from './funnel.ts'

export const funnelHandlers = {
  getFunnel: (input, { world }) => viewFunnel(world, input),
} satisfies HandlersOf<typeof consoleFunnelCalls>
