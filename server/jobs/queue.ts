import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/db.ts'
import type { AttemptKey } from '#server/enrollment/visitor.ts'

/** What has to follow a commit, by name. Each may run more than once, so each asks for something that is done once. */
export type JobPayloads = {
  capture: AttemptKey
  void: AttemptKey & { transaction_id: string }
  welcome: { member_id: string }
  consent: { member_id: string }
  cancelled: { member_id: string }
  kept: { member_id: string }
  confirm_email: { member_id: string }
  password_changed: { member_id: string }
  /** Whose name it is, if anybody's, is found out by the job. */
  forgotten: { name: string; asked_at: string }
  /** Goes to the old address. */
  email_changed: { email: string; first_name: string; new_email: string }
  /** Kept only until the letter is gone. */
  unpaid: { enrollment_id: string; email: string; first_name: string; site: string }
}
export type JobKind = keyof JobPayloads

export const newJob = <Name extends JobKind>(kind: Name, payload: JobPayloads[Name], run_at: Date) => ({
  id: randomUUID(),
  kind,
  payload: JSON.stringify(payload),
  run_at,
})

/** Written in the caller's transaction: it happens if, and only if, the rest does. */
export const addJob = <Name extends JobKind>(db: Db, kind: Name, payload: JobPayloads[Name], run_at: Date) =>
  db
    .insertInto('job')
    .values(newJob(kind, payload, run_at))
    .execute()
