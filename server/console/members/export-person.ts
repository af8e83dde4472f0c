import type { Db } from '#server/db/db.ts'
import { findTouches } from '#server/sponsors/touches.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { actOnMember } from './member-actions.ts'

/** Everything that we hold about a person, as one file for them. */
export async function exportPerson(world: World, { member_id }: { member_id: string }, session: StaffSession) {
  const { content } = await actOnMember(world, session, { act: 'export_person', member_id }, async (world) => ({
    content: await everythingAbout(world.db, member_id),
  }))
  const filename = `${content.member.username}-${todayOf(world)}.json`
  return { filename, content: { exported_at: world.now(), ...content } }
}

/** Keys and hashes are left out: they say nothing about the person, and would open something. */
async function everythingAbout(db: Db, member_id: string) {
  const { password_hash: _password, ...member } = await db
    .selectFrom('member')
    .selectAll()
    .where('id', '=', member_id)
    .executeTakeFirstOrThrow()
  const { enrollment_id, email, mobile_phone } = member
  const of = <Table extends 'period' | 'acceptance' | 'member_event' | 'sponsor_move' | 'placement_move'>(
    table: Table,
  ) =>
    db
      .selectFrom(table as 'period')
      .selectAll()
      .where('member_id', '=', member_id)
      .execute()
  const sites = await db.selectFrom('sponsor').selectAll().where('member_id', '=', member_id).execute()
  const orders = await db.selectFrom('orders').selectAll().where('member_id', '=', member_id).execute()
  const picture = await db.selectFrom('picture').select('content').where('member_id', '=', member_id).executeTakeFirst()
  return {
    member,
    sites,
    usernames_and_addresses: await db
      .selectFrom('claim')
      .select(['kind', 'value'])
      .where('enrollment_id', '=', enrollment_id)
      .execute(),
    membership: await db
      .selectFrom('membership')
      .select(['state', 'anchor_on', 'period', 'billing_interval', 'lines', 'on_hold_since', 'hold_reason'])
      .select(['card_brand', 'card_last_four', 'card_expires'])
      .where('member_id', '=', member_id)
      .executeTakeFirst(),
    periods: await of('period'),
    orders: await Promise.all(
      orders.map(async (order) => ({
        ...order,
        lines: await db.selectFrom('order_line').selectAll().where('order_id', '=', order.id).execute(),
      })),
    ),
    payments: await db
      .selectFrom('payment')
      .select(['reference', 'state', 'amount_cents', 'refunded_cents', 'period', 'details', 'created_at', 'updated_at'])
      .select(['card_brand', 'card_last_four', 'card_expires', 'decline_class', 'address_check', 'cvc_check'])
      .where('enrollment_id', '=', enrollment_id)
      .execute(),
    ids_in_other_systems: await db
      .selectFrom('external_id')
      .select(['connection', 'value'])
      .where('member_id', '=', member_id)
      .execute(),
    refunds: await db
      .selectFrom('refund')
      .innerJoin('payment', 'payment.reference', 'payment_reference')
      .select(['payment_reference', 'refund.amount_cents', 'reason', 'refund.state', 'refund.created_at'])
      .select(['is_void', 'credit_note', 'ended_at'])
      .where('enrollment_id', '=', enrollment_id)
      .execute(),
    accepted_texts: await of('acceptance'),
    links_opened_before_joining: await findTouches(db, enrollment_id),
    moves_to_other_sponsors: await of('sponsor_move'),
    placements: await of('placement_move'),
    timeline: await of('member_event'),
    security_events: await db
      .selectFrom('security_event')
      .select(['at', 'last_at', 'kind', 'count', 'details'])
      .where('member_id', '=', member_id)
      .orderBy('at')
      .execute(),
    sessions: await db
      .selectFrom('office_session')
      .select(['device', 'created_at', 'idle_until', 'expires_at'])
      .where('member_id', '=', member_id)
      .execute(),
    passkeys: await db
      .selectFrom('member_passkey')
      .select(['name', 'created_at', 'used_at'])
      .where('member_id', '=', member_id)
      .execute(),
    authenticator_app: await db
      .selectFrom('member_app')
      .select('created_at')
      .where('member_id', '=', member_id)
      .executeTakeFirst(),
    unconfirmed_addresses: await db
      .selectFrom('email_link')
      .select(['purpose', 'email', 'created_at'])
      .where('member_id', '=', member_id)
      .execute(),
    phone_checks: await db.selectFrom('phone_check').selectAll().where('enrollment_id', '=', enrollment_id).execute(),
    messages: await db
      .selectFrom('message')
      .select(['channel', 'recipient', 'subject', 'body', 'created_at'])
      .where('recipient', 'in', [email, mobile_phone])
      .execute(),
    visits_by_day: sites.length
      ? await db
          .selectFrom('page_day')
          .selectAll()
          .where(
            'site',
            'in',
            sites.map(({ site }) => site),
          )
          .execute()
      : [],
    acts_of_staff: await db
      .selectFrom('audit')
      .select(['at', 'act', 'role', 'details'])
      .where('subject_kind', '=', 'member')
      .where('subject', '=', member_id)
      .orderBy('position')
      .execute(),
    picture_as_base64: picture ? Buffer.from(picture.content).toString('base64') : null,
  }
}
