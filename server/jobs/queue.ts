import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/db.ts'
import type { AttemptKey } from '#server/payments/attempt-key.ts'

/** Who changed a detail of a member: the member in the office or with a link from an email, or the operator's staff. */
export type WhoChanged = 'office' | 'link' | 'team'

/** Absent in jobs that waited while Foyer was updated. */
type Changed = { who?: WhoChanged; at?: string }

export type SecondFactorChange =
  | 'app_on'
  | 'app_off'
  | 'passkey_added'
  | 'passkey_removed'
  | 'new_recovery_codes'
  | 'recovery_code_used'
  | 'removed_by_staff'

/** Work that follows a commit, by kind. A job may run more than once, so each kind is idempotent or harmless to repeat. */
export type JobPayloads = {
  capture: AttemptKey
  void: AttemptKey & { transaction_id: string }
  refund: { refund_id: string }
  welcome: { member_id: string }
  consent: { member_id: string }
  /** Tells the sponsor of a new member. */
  referral: { member_id: string }
  cancelled: { member_id: string }
  kept: { member_id: string }
  confirm_email: { member_id: string }
  /** Confirms the address that the member already has. */
  confirm_address: { member_id: string }
  password_changed: { member_id: string } & Changed
  phone_changed: { member_id: string; masked_phone: string } & Changed
  second_factor_changed: { member_id: string; change: SecondFactorChange }
  renewed: { member_id: string } & AttemptKey
  renewal_declined: { member_id: string } & AttemptKey
  /** Tells the member of a refund. */
  refunded: { member_id: string; refund_id: string }
  membership_ended: { member_id: string; why: 'canceled' | 'unpaid' }
  /** A period that is not charged. */
  waived: { member_id: string; starts_on: string; ends_on: string }
  renewal_moved: { member_id: string }
  card_expires: { member_id: string }
  yearly_reminder: { member_id: string }
  /** Goes through the members of a package whose price has changed. */
  price_change: { price_change_id: string }
  /** Tells one of them. */
  price_changed: { member_id: string; product_id: number; old_cents: number; new_cents: number; starts_on: string }
  username_changed: { member_id: string; old_username: string } & Changed
  /** The job looks the member up, so that the response time does not reveal whether there is one. */
  forgotten: { name: string; asked_at: string; network?: string }
  /** Sent to the old address. */
  email_changed: { email: string; first_name: string; new_email: string } & Changed
  /** Deleted once the email is sent. */
  unpaid: { enrollment_id: string; email: string; first_name: string; site: string }
}
export type JobKind = keyof JobPayloads

export const newJob = <Kind extends JobKind>(kind: Kind, payload: JobPayloads[Kind], run_at: Date) => ({
  id: randomUUID(),
  kind,
  payload: JSON.stringify(payload),
  run_at,
})

/** Call it in the transaction that needs the job: either both are committed or neither is. */
export const addJob = <Kind extends JobKind>(db: Db, kind: Kind, payload: JobPayloads[Kind], run_at: Date) =>
  db
    .insertInto('job')
    .values(newJob(kind, payload, run_at))
    .execute()
