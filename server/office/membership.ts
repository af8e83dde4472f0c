import { cancel, resume } from '#server/membership/cancellation.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { requireDisplayedMember } from './session.ts'

type Displayed = { username: string }

export async function cancelMembership(world: World, displayed: Displayed, visitor: Visitor): Promise<string> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await cancel(world, id)
  return id
}

export async function resumeMembership(world: World, displayed: Displayed, visitor: Visitor): Promise<string> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await resume(world, id)
  return id
}
