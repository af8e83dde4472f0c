import type { Db } from '#server/db/db.ts'
import { recordProblem } from './credit.ts'
import { followRenames } from './sponsors.ts'
import type { TouchRow } from './touches.ts'

/** Where staff have moved a member since they joined, oldest first. */
export const findMoves = (db: Db, member_id: string) =>
  db
    .selectFrom('sponsor_move')
    .innerJoin('sponsor as from', 'from.id', 'from_id')
    .innerJoin('sponsor as to', 'to.id', 'to_id')
    .leftJoin('staff', 'staff.id', 'moved_by')
    .select(['from.site as from_site', 'from.name as from_name', 'to.site as to_site', 'to.name as to_name'])
    .select(['reason', 'moved_at', 'staff.name as moved_by_name'])
    .where('sponsor_move.member_id', '=', member_id)
    .orderBy('moved_at')
    .execute()
export type FoundMove = Awaited<ReturnType<typeof findMoves>>[number]

type CreditedMember = {
  id: string
  /** Of the sponsor who counts now, and of the one on the day of joining. */
  site: string
  joined_site: string
  touches: number | null
  touch_seal: string | null
}

/**
 * What is wrong with a member's credit, if anything: the sealed record must name the sponsor of the day of joining, and the
 * moves must lead from there to the sponsor of today, each with its row in the audit log.
 */
export async function creditProblem(db: Db, member: CreditedMember, touches: readonly TouchRow[], moves: FoundMove[]) {
  const problem = await recordProblem(db, { ...member, sponsor_site: member.joined_site }, touches)
  if (problem) return problem
  const sites = [member.joined_site, ...moves.flatMap(({ from_site, to_site }) => [from_site, to_site]), member.site]
  for (let n = 0; n < sites.length; n += 2)
    if (!(await isSameSponsor(db, sites[n] ?? '', sites[n + 1] ?? '')))
      return `The moves do not lead from /${member.joined_site} to /${member.site}: the sponsor was changed by other means.`
  const audited = await countAudited(db, member.id)
  return audited < moves.length ? 'The audit log does not have all moves.' : undefined
}

const isSameSponsor = async (db: Db, one: string, other: string) =>
  one === other || (await followRenames(db, one))?.id === (await followRenames(db, other))?.id

async function countAudited(db: Db, member_id: string): Promise<number> {
  const { count } = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('subject_kind', '=', 'member')
    .where('subject', '=', member_id)
    .where('act', '=', 'move_sponsor')
    .executeTakeFirstOrThrow()
  return Number(count)
}
