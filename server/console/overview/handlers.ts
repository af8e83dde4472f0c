import type { consoleOverviewCalls } from '#contract/console/overview.ts'
import type { HandlersOf } from '../console.ts'
import { listProblems, resolve } from './problems.ts'
import { viewToday } from './today.ts'

export const overviewHandlers = {
  getToday: (_input, { world }) => viewToday(world),
  listProblems: (_input, { world }) => listProblems(world),
  resolveDiscrepancy: (input, { world, session }) => resolve(world, input, session.staff),
} satisfies HandlersOf<typeof consoleOverviewCalls>
