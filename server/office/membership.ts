import { cancel, resume } from '#server/membership/cancellation.ts'
import { dropLine } from '#server/membership/lines.ts'
import { comeBack } from '#server/membership/return.ts'
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

export async function dropPackage(
  world: World,
  { product_id, ...displayed }: Displayed & { product_id: number },
  visitor: Visitor,
): Promise<string> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await dropLine(world, id, product_id)
  return id
}

export async function comeBackToMembership(
  world: World,
  { shown_price, ...displayed }: Displayed & { shown_price: string },
  visitor: Visitor,
): Promise<string> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  await comeBack(world, id, shown_price)
  return id
}
