import type { FastifyInstance } from 'fastify'
import type { TestPage } from '#contract/pages.ts'
import { mayAdvanceClock } from '#server/world/test-clock.ts'
import type { World } from '#server/world/world.ts'
import { addClock } from './clock.ts'
import { addOutbox } from './outbox.ts'
import type { Shell } from './shell.ts'
import { testPageLink } from './test-page-token.ts'
import { addTestPayments, isSandbox } from './test-payments.ts'

/** The pages about the embedded parts. Each exists only beside its part, and none in production. */
const isThere: Record<TestPage, (world: World) => boolean> = {
  clock: ({ config, testClock }) => testClock !== undefined && mayAdvanceClock(config),
  payments: ({ payment }) => isSandbox(payment),
  outbox: ({ config }) => ['mail', 'phone'].some((part) => config.embedded.includes(part)),
}

const testPagesOf = (world: World): TestPage[] =>
  world.config.production ? [] : (Object.keys(isThere) as TestPage[]).filter((page) => isThere[page](world))

const titles: Record<TestPage, string> = {
  clock: 'advance the clock',
  payments: 'test cards and payments',
  outbox: 'emails and codes',
}

/** Lines for the terminal. */
export const testPageLinks = (world: World): string[] =>
  testPagesOf(world).map((page) => `${titles[page]}: ${testPageLink(world.config, `/__${page}`)}`)

export function addTestPages(app: FastifyInstance, world: World, shell: Shell) {
  const pages = testPagesOf(world)
  if (pages.includes('outbox')) addOutbox(app, world, shell, pages)
  if (pages.includes('payments') && isSandbox(world.payment)) addTestPayments(app, world, world.payment, shell, pages)
  if (pages.includes('clock') && world.testClock) addClock(app, world, world.testClock, shell, pages)
}
