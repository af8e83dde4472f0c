import { type ReactNode, useState } from 'react'
import type { MemberPage } from '#contract/console/member-page.ts'
import { monthAndYear, plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { showPhone } from '#web/form/showPhone.ts'
import { EmailText } from '#web/ui/EmailText.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel, StateChip, showTime, Title, Waiting } from '../parts.tsx'
import { Link, toQuery } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { Accepted } from './Accepted.tsx'
import { ActionMenu, Actions, detailsEntries, membershipEntries, type PageAction } from './ActionMenu.tsx'
import { DetailsDialog } from './DetailsDialog.tsx'
import { MemberActionDialog } from './MemberActionDialog.tsx'
import { Money } from './Money.tsx'
import { PersonalData } from './PersonalData.tsx'
import { RenewalDayDialog } from './RenewalDayDialog.tsx'
import { Sponsor } from './Sponsor.tsx'
import { Timeline } from './Timeline.tsx'

/** Everything about one member, and what staff can do. */
export function MemberScreen({ id }: { id: string }) {
  const { api, may } = useConsole()
  const loaded = useLoaded(id, () => api.getMember({ member_id: id }))
  const [action, setAction] = useState<PageAction>()
  const [success, setSuccess] = useState<string>()
  const { data: member, setData } = loaded
  if (!member) return <Waiting loaded={loaded} />
  const dialogProps = {
    member,
    onClose: () => setAction(undefined),
    onDone: (page: MemberPage, message: string) => {
      setData(page)
      setSuccess(message)
      setAction(undefined)
    },
  }
  return (
    <>
      <Title>{`${member.first_name} ${member.last_name}`}</Title>
      <Head member={member} />
      <ActionMenu member={member} onAction={setAction} />
      <SuccessNotice message={success} />
      {member.erased_on && <Notice>The personal data was erased on {plainDay(member.erased_on)}.</Notice>}
      <div className="member-grid">
        <Timeline timeline={member.timeline} onResend={(email_id) => setAction({ kind: 'email', email_id })} />
        <div className="stack">
          <Membership member={member} onAction={setAction} />
          <Money payments={member.payments} onAction={setAction} />
          {!member.erased_on && <Details member={member} onAction={setAction} />}
          <Sponsor member={member} onAction={setAction} />
          <Accepted member={member} />
          {may('personal_data') && !member.erased_on && <PersonalData member={member} onAction={setAction} />}
        </div>
      </div>
      {action?.kind === 'details' ? (
        <DetailsDialog {...dialogProps} />
      ) : action?.kind === 'renewal-day' ? (
        <RenewalDayDialog {...dialogProps} />
      ) : (
        action && <MemberActionDialog action={action} {...dialogProps} />
      )}
    </>
  )
}

function Head({ member }: { member: MemberPage }) {
  const { session } = useConsole()
  return (
    <div className="screen-head">
      <div>
        <h1>
          <bdi>
            {member.first_name} {member.last_name}
          </bdi>{' '}
          <StateChip state={member.membership.state} />
        </h1>
        <p className="lead">
          {!member.erased_on && (
            <>
              <EmailText email={member.email} /> · <span className="unbroken">{showPhone(member.mobile_phone)}</span>
              {' · '}
            </>
          )}
          <code>/{member.username}</code> · joined {showTime(member.joined_at, session.time_zone)} under{' '}
          <Link to={`/console/members${toQuery({ sponsor: member.sponsor.site })}`}>
            <bdi>{member.sponsor.name}</bdi>
          </Link>
        </p>
      </div>
    </div>
  )
}

type SectionProps = { member: MemberPage; onAction: (action: PageAction) => void }

function Membership({ member, onAction }: SectionProps) {
  const { membership } = member
  const { card, period } = membership
  return (
    <Panel title="Membership">
      <Facts
        facts={[
          ['Price', `${showAmount(membership.price)} a ${membership.interval}`],
          ...membership.announced.map(({ name, price, from_on, is_told }): [string, string] => [
            `New price for ${name}`,
            `${showAmount(price)} from ${plainDay(from_on)}${is_told ? ', email sent' : ', email not sent yet'}`,
          ]),
          ...(period
            ? [
                ['Period', `${plainDay(period.starts_on)} to ${plainDay(period.ends_on)}, ${period.state}`] as [
                  string,
                  string,
                ],
              ]
            : []),
          ...(membership.waived
            ? [
                ['Waived', `${plainDay(membership.waived.starts_on)} to ${plainDay(membership.waived.ends_on)}`] as [
                  string,
                  string,
                ],
              ]
            : []),
          ['Next charge', membership.next_charge_on ? plainDay(membership.next_charge_on) : 'none'],
          ...(membership.ends_on
            ? [[membership.state === 'ended' ? 'Ended' : 'Ends', plainDay(membership.ends_on)] as [string, string]]
            : []),
          ...(membership.hold_reason ? [['On hold', membership.hold_reason] as [string, string]] : []),
          [
            'Card',
            card
              ? `${card.brand} •••• ${card.last_four}${card.expires ? `, until ${monthAndYear(card.expires)}` : ''}`
              : 'none',
          ],
        ]}
      />
      <Actions entries={membershipEntries(member)} onAction={onAction} />
    </Panel>
  )
}

function Details({ member, onAction }: SectionProps) {
  const { sessions } = member
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ...(member.business_name ? [['Company', member.business_name] as [string, string]] : []),
          ['Email', emailLine(member)],
          ...(member.unconfirmed_email
            ? [['New email', emailLine({ email: member.unconfirmed_email })] as [string, ReactNode]]
            : []),
          ['Phone', showPhone(member.mobile_phone)],
          ['Address', addressLine(member)],
          ['Link', <a key="link" href={member.link}>{`/${member.username}`}</a>],
          ['Second factor', member.has_second_factor ? 'on' : 'off'],
          ['Signed in', sessions === 1 ? 'in one browser' : sessions ? `in ${sessions} browsers` : 'no'],
        ]}
      />
      <Actions entries={detailsEntries(member)} onAction={onAction} />
    </Panel>
  )
}

const bounces = {
  unknown: 'the mail server says that there is no such mailbox',
  closed: 'the mail server says that the mailbox is closed',
  malformed: 'the mail server says that this is not an address',
}

type EmailFacts = { email: string } & Partial<
  Pick<MemberPage, 'is_email_confirmed' | 'email_bounce' | 'email_bounced_on'>
>

/** The address, and what staff should know about it. */
const emailLine = ({ email, is_email_confirmed, email_bounce, email_bounced_on }: EmailFacts) => (
  <>
    <EmailText email={email} />
    {email && !is_email_confirmed && ', not confirmed yet'}
    {email_bounce && email_bounced_on && `, ${bounces[email_bounce]} (${plainDay(email_bounced_on)})`}
  </>
)

const addressLine = ({ postal }: MemberPage) =>
  [postal.address, postal.address2, `${postal.city}, ${postal.state} ${postal.post_code}`, postal.country]
    .filter(Boolean)
    .join(', ')
