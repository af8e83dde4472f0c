import type { consoleAbuseCalls } from '#contract/console/abuse.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import type { HandlersOf, Request } from '../console.ts'
import { viewAbuse } from './abuse.ts'
import { blockNetwork, closeBreaker, liftBlock, openBreaker, pauseJoining, resumeJoining } from './abuse-actions.ts'

export const abuseHandlers = {
  getAbuse: (_input, { world }) => viewAbuse(world),
  openBreaker: thenViewAbuse(openBreaker),
  closeBreaker: thenViewAbuse(closeBreaker),
  blockNetwork: thenViewAbuse(blockNetwork),
  liftBlock: thenViewAbuse(liftBlock),
  pauseJoining: thenViewAbuse(pauseJoining),
  resumeJoining: thenViewAbuse(resumeJoining),
} satisfies HandlersOf<typeof consoleAbuseCalls>

type Action<Input> = (world: World, input: Input, session: StaffSession) => Promise<unknown>

function thenViewAbuse<Input>(action: Action<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await action(world, input, session)
    return viewAbuse(world)
  }
}
