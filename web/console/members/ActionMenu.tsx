import type { MemberPage } from '#contract/console/member-page.ts'
import type { Permission } from '#contract/console/permissions.ts'
import { dayIn, plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { useConsole } from '../api.ts'
import type { MemberAction } from './memberActions.tsx'

/** Actions with a form of their own, and all others. */
export type PageAction = MemberAction | { kind: 'details' } | { kind: 'renewal-day' }

type Entry = { text: string; permission: Permission; action: PageAction; isDanger?: boolean }

/** What staff can do about the membership now. */
export function membershipEntries({ membership }: MemberPage): Entry[] {
  const { may_cancel, may_resume, may_hold, may_release, may_waive, may_move_day, interval } = membership
  const all: [isPossible: unknown, entry: Entry][] = [
    [
      may_cancel,
      { text: 'Cancel membership', permission: 'change_memberships', action: { kind: 'cancel' }, isDanger: true },
    ],
    [may_resume, { text: 'Undo the cancellation', permission: 'change_memberships', action: { kind: 'resume' } }],
    [may_hold, { text: 'Hold', permission: 'change_memberships', action: { kind: 'hold' } }],
    [may_release, { text: 'Release the hold', permission: 'change_memberships', action: { kind: 'release' } }],
    [may_waive, { text: `Waive a ${interval}`, permission: 'adjust_billing', action: { kind: 'waive' } }],
    [may_move_day, { text: 'Move the renewal day', permission: 'adjust_billing', action: { kind: 'renewal-day' } }],
  ]
  return all.flatMap(([isPossible, entry]) => (isPossible ? [entry] : []))
}

export function detailsEntries({ erased_on, has_second_factor, sessions }: MemberPage): Entry[] {
  if (erased_on) return []
  const all: [isPossible: unknown, entry: Entry][] = [
    [true, { text: 'Edit details', permission: 'correct_details', action: { kind: 'details' } }],
    [true, { text: 'Send a password link', permission: 'help_members', action: { kind: 'reset-link' } }],
    [true, { text: 'Send an email again', permission: 'help_members', action: { kind: 'email' } }],
    [
      has_second_factor,
      { text: 'Remove second factor', permission: 'remove_second_factor', action: { kind: 'second-factor' } },
    ],
    [sessions > 0, { text: 'End sessions', permission: 'help_members', action: { kind: 'end-sessions' } }],
  ]
  return all.flatMap(([isPossible, entry]) => (isPossible ? [entry] : []))
}

export const sponsorEntries = ({ erased_on }: MemberPage): Entry[] =>
  erased_on
    ? []
    : [
        { text: 'Move to another sponsor', permission: 'move_sponsors', action: { kind: 'move-sponsor' } },
        { text: 'Change placement', permission: 'move_sponsors', action: { kind: 'placement' } },
      ]

const moneyEntries = ({ payments }: MemberPage, time_zone: string): Entry[] =>
  payments
    .filter(({ refundable }) => refundable)
    .slice(0, 1)
    .map((payment) => ({
      text: `Refund ${showAmount(payment.amount)} from ${plainDay(dayIn(time_zone, new Date(payment.at)))}`,
      permission: 'refund',
      action: { kind: 'refund', payment },
    }))

type ActionsProps = { entries: Entry[]; onAction: (action: PageAction) => void }

/** A button for each entry that the colleague's role includes. */
export function Actions({ entries, onAction }: ActionsProps) {
  const { may } = useConsole()
  const allowed = entries.filter(({ permission }) => may(permission))
  if (!allowed.length) return null
  return (
    <div className="row-actions">
      {allowed.map(({ text, action, isDanger }) => (
        <button
          key={text}
          type="button"
          className={isDanger ? 'button quiet danger' : 'button quiet'}
          onClick={() => onAction(action)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

/** On a phone, where the panels are below the timeline: everything that can be done, right under the name. */
export function ActionMenu({ member, onAction }: { member: MemberPage } & Pick<ActionsProps, 'onAction'>) {
  const { may, session } = useConsole()
  const entries = [membershipEntries, moneyEntries, detailsEntries, sponsorEntries].flatMap((list) =>
    list(member, session.time_zone),
  )
  if (!entries.some(({ permission }) => may(permission))) return null
  return (
    <details className="action-menu">
      <summary className="button quiet">Actions</summary>
      <Actions entries={entries} onAction={onAction} />
    </details>
  )
}
