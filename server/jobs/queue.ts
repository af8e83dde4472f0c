import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/db.ts'
import type { AttemptKey } from '#server/gateways/payment/attempt-key.ts'

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

/**
 * Work that follows a commit, by kind. A job may run more than once, so each kind is idempotent or harmless to repeat.
 * Two stored names are older than the words we use now: `kept` is a cancellation that was undone, `forgotten` a password
 * reset. They stay, because processes of two versions share this table during an update.
 */
export type JobPayloads = {
  capture: AttemptKey
  void: AttemptKey & { transaction_id: string }
  refund: { refund_id: string }
  welcome: { member_id: string }
  consent: { member_id: string }
  /** The link with which an imported member sets a first password. */
  invitation: { member_id: string }
  /** Tells the sponsor of a new member. */
  referral: { member_id: string }
  cancelled: { member_id: string }
  /** `is_back`: it had ended before. */
  kept: { member_id: string; is_back?: true }
  confirm_email: { member_id: string }
  /** Confirms the address that the member already has. */
  confirm_address: { member_id: string }
  password_changed: { member_id: string } & Changed
  phone_changed: { member_id: string; masked_phone: string } & Changed
  second_factor_changed: { member_id: string; change: SecondFactorChange }
  /** The new card on file. */
  card_changed: { member_id: string; card_brand: string | null; card_last_four: string | null; at: string }
  package_stopped: { member_id: string; name: string }
  /** `since`: a later hold has an email of its own. */
  hold_began: { member_id: string; why: 'dispute' | 'team'; since: string }
  /** Nothing is charged right now; otherwise the emails about that charge tell the member. */
  hold_ended: { member_id: string }
  renewed: { member_id: string } & AttemptKey
  renewal_declined: { member_id: string } & AttemptKey
  /** Tells the member of a refund. */
  refunded: { member_id: string; refund_id: string }
  membership_ended: { member_id: string; why: 'canceled' | 'unpaid' }
  /** Packages next to a membership that is paid once have stopped. */
  package_unpaid: { member_id: string; names: string[] }
  /** A period that is not charged. */
  waived: { member_id: string; starts_on: string; ends_on: string }
  renewal_moved: { member_id: string }
  /** A member we couldn't charge on time starts a new period. `is_moved`: the renewal day has changed. */
  charging_resumed: { member_id: string; missed_from: string; starts_on: string; is_moved: boolean }
  card_expires: { member_id: string }
  yearly_reminder: { member_id: string }
  /** The next charge, for members who want to know ahead. */
  renewal_ahead: { member_id: string; starts_on: string }
  /** Checks or writes the next part of a file of members. */
  import: { import_id: string }
  /** Invites the next imported members. */
  invite_imported: Record<string, never>
  /** Goes through the members of a package whose price has changed. */
  price_change: { price_change_id: string }
  /** Tells one of them. Of several that wait, only the newest is sent. */
  price_changed: {
    member_id: string
    product_id: number
    old_cents: number
    new_cents: number
    starts_on: string
    notice_id?: string
  }
  username_changed: { member_id: string; old_username: string } & Changed
  /** The job looks the member up, so that the response time does not reveal whether there is one. */
  forgotten: { name: string; asked_at: string; network?: string }
  /** Sent to the old address. */
  email_changed: { email: string; first_name: string; new_email: string } & Changed
  /** Tells a colleague, or an owner, that someone is guessing the colleague's password. */
  staff_guesses: { staff_id: string; recipient_id: string }
  /** Tells an owner the seal of the audit log, or that someone has changed a log. */
  audit_seal: { recipient_id: string; seal: string; problems: string[] }
  /** Tells a colleague, or an owner, that the colleague opened more members than a person would. */
  members_read: { staff_id: string; recipient_id: string }
  /** Tells an owner or manager that a webhook was turned off: its receiver said it's gone, or failed for days. */
  webhook_off: { recipient_id: string; endpoint_id: string; why: 'gone' | 'failing' }
  /** Deleted once the email is sent. */
  unpaid: { enrollment_id: string; email: string; first_name: string; site: string }
}
export type JobKind = keyof JobPayloads
export type StaffWarning = 'staff_guesses' | 'members_read'

/** A sponsor gets the email about a referral; a visitor the one about an unpaid order. */
type Purpose = 'payment' | 'email to its member' | 'email to someone else' | 'announcement'
const purposes: Record<JobKind, Purpose> = {
  capture: 'payment',
  void: 'payment',
  refund: 'payment',
  welcome: 'email to its member',
  consent: 'email to its member',
  invitation: 'email to its member',
  referral: 'email to someone else',
  staff_guesses: 'email to someone else',
  audit_seal: 'email to someone else',
  members_read: 'email to someone else',
  webhook_off: 'email to someone else',
  cancelled: 'email to its member',
  kept: 'email to its member',
  confirm_email: 'email to its member',
  confirm_address: 'email to its member',
  password_changed: 'email to its member',
  phone_changed: 'email to its member',
  second_factor_changed: 'email to its member',
  card_changed: 'email to its member',
  package_stopped: 'email to its member',
  hold_began: 'email to its member',
  hold_ended: 'email to its member',
  renewed: 'email to its member',
  renewal_declined: 'email to its member',
  refunded: 'email to its member',
  membership_ended: 'email to its member',
  package_unpaid: 'email to its member',
  waived: 'email to its member',
  renewal_moved: 'email to its member',
  charging_resumed: 'email to its member',
  card_expires: 'email to its member',
  yearly_reminder: 'email to its member',
  renewal_ahead: 'email to its member',
  price_change: 'announcement',
  import: 'announcement',
  invite_imported: 'announcement',
  price_changed: 'email to its member',
  username_changed: 'email to its member',
  forgotten: 'email to someone else',
  email_changed: 'email to someone else',
  unpaid: 'email to someone else',
}
export const jobKinds = Object.keys(purposes) as JobKind[]

const kindsFor = (...wanted: Purpose[]) => jobKinds.filter((kind) => wanted.includes(purposes[kind]))

/** Those whose payload names the member who gets it. */
export const emailsToMembers = kindsFor('email to its member')
export const emailKinds = kindsFor('email to its member', 'email to someone else')

/** Run separately, so that a mail server that does not answer delays only emails. */
export const jobGroups = {
  payments: kindsFor('payment'),
  emails: emailKinds,
  announcements: kindsFor('announcement'),
}

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

/** How many jobs of each kind are not done yet, for /metrics. */
export async function countWaitingJobs({ db }: { db: Db }): Promise<Map<JobKind, number>> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
    .where('done_at', 'is', null)
    .groupBy('kind')
    .execute()
  return new Map(rows.map(({ kind, count }) => [kind as JobKind, Number(count)]))
}
