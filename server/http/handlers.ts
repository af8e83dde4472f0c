import type * as z from 'zod/mini'
import type { Call } from '#contract/api.ts'
import type { World } from '#server/world/world.ts'

/** One handler for each call of the contract; a missing one does not compile. `Caller` is what a request says about who sent it. */
export type Handlers<Calls extends Record<string, Call>, Caller> = {
  [Name in keyof Calls]: (
    world: World,
    input: z.infer<Calls[Name]['input']>,
    caller: Caller,
  ) => Promise<z.infer<Calls[Name]['output']>>
}

/** For a call whose reply is empty. */
export const emptyReply =
  <Input, Caller>(handle: (world: World, input: Input, caller: Caller) => Promise<void>) =>
  async (world: World, input: Input, caller: Caller) => {
    await handle(world, input, caller)
    return {}
  }
