import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type PlacementSide, placementSides } from '#contract/commission.ts'
import { setVolumes } from '#server/catalog/volumes.ts'
import type { StaffSession } from '#server/console/access/session.ts'
import { erasePerson } from '#server/console/members/erase-person.ts'
import { changePlacement } from '#server/console/members/placement-moves.ts'
import { moveSponsor } from '#server/console/members/sponsor-moves.ts'
import { inTransaction } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { SeededRandom } from '../seeded-random.ts'

export type Moves = Record<'moved' | 'placed' | 'changed' | 'refused', number>
export type Mover = { world: World; staff_id: string; members: number; changes: number; random: SeededRandom }

/** Random changes of a later month, as staff make them: moves and placements most of all. */
export async function moveAround({ world, staff_id, members, changes, random }: Mover): Promise<Moves> {
  const counts: Moves = { moved: 0, placed: 0, changed: 0, refused: 0 }
  const session = {
    staff: { id: staff_id, email: 'drill@staff.example', name: 'Drill', role: 'owner', network: '' },
    ...{ key_hash: '', method: 'password', isProved: true },
  } as unknown as StaffSession
  const reason = 'drilled'
  const anyName = () => `drilled${random.below(members)}`
  const kinds: Record<keyof Omit<Moves, 'refused'>, (member_id: string, username: string) => Promise<unknown>> = {
    moved: (member_id) => moveSponsor(world, { member_id, sponsor_site: anyName(), reason }, session),
    placed: (member_id) => {
      const side = random.pick<PlacementSide>(placementSides)
      const parent_site = random.chance(0.8) ? anyName() : ''
      return changePlacement(world, { member_id, side, parent_site, reason }, session)
    },
    changed: (member_id, username) => otherChange(world, session, random, { member_id, username }),
  }
  for (let n = 0; n < changes; n++) {
    const username = anyName()
    const member = await world.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirst()
    if (!member) continue
    const kind = random.chance(0.5) ? 'moved' : random.chance(0.7) ? 'placed' : 'changed'
    try {
      await kinds[kind](member.id, username)
      counts[kind] += 1
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      counts.refused += 1
    }
  }
  return counts
}

type Person = { member_id: string; username: string }

/** A refund, a dispute, a rename, a price, volumes or an erasure. */
async function otherChange(world: World, session: StaffSession, random: SeededRandom, person: Person) {
  const { db, now } = world
  const { member_id, username } = person
  const { reference } = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('reference')
    .where('member.id', '=', member_id)
    .executeTakeFirstOrThrow()
  switch (random.chance(0.08) ? 'erase' : random.pick(['refund', 'dispute', 'rename', 'price'] as const)) {
    case 'refund':
      await sql`insert into refund (id, payment_reference, amount_cents, reason, is_void, state, credit_note,
          refund_reference, who, created_at, ended_at)
        select ${randomUUID()}, ${reference}, ${100 + random.below(900)}, 'drilled', false, 'done',
          coalesce(max(credit_note), 0) + ${1 + random.below(1_000_000)}, ${randomUUID()}, 'drill', ${now()}, ${now()}
        from refund`.execute(db)
      return
    case 'dispute':
      await sql`insert into dispute_change (payment_reference, is_open, changed_at) values
        (${reference}, ${random.chance(0.5)}, ${now()}) on conflict do nothing`.execute(db)
      return
    case 'rename': {
      const [id, site] = [randomUUID(), `${username}-${randomUUID().slice(0, 8)}`]
      const row = { id, site, name: 'Renamed', active: true, member_id, created_at: now() }
      await db.insertInto('sponsor').values(row).execute()
      const earlier = db.updateTable('sponsor').set({ renamed_to: site }).where('member_id', '=', member_id)
      await earlier.where('site', '<>', site).execute()
      return
    }
    case 'price':
      await inTransaction(db, async (db) => {
        await sql`select 1 from package where product_id = 34 for update`.execute(db)
        const key = { product_id: 34, occasion: 'joining' as const, price_cents: 9900, set_by: 'drill' }
        const volumes = { business_volume: random.below(9_000), commissionable_volume: random.below(9_000) }
        await setVolumes({ db, now }, { ...key, ...volumes })
        await db
          .updateTable('package')
          .set({ price_cents: 9000 + random.below(900) })
          .where('product_id', '=', 34)
          .execute()
      })
      return
    default:
      await erasePerson(world, { member_id, username, reason: 'drilled' }, session)
  }
}
