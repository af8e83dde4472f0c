import type { Db } from '#server/db/db.ts'

/** Where staff have placed a member, oldest first. The last one is current. */
export const findPlacements = (db: Db, member_id: string) =>
  db
    .selectFrom('placement_move')
    .leftJoin('member as parent', 'parent.id', 'parent_id')
    .leftJoin('staff', 'staff.id', 'moved_by')
    .select(['side', 'parent_id', 'parent.username', 'parent.first_name', 'parent.last_name'])
    .select(['reason', 'moved_at', 'staff.name as moved_by_name'])
    .where('placement_move.member_id', '=', member_id)
    .orderBy('moved_at')
    .execute()
export type FoundPlacement = Awaited<ReturnType<typeof findPlacements>>[number]
