import { placementTexts } from '#contract/commission.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { Panel, showTime } from '../parts.tsx'
import { Link, toQuery } from '../router.tsx'
import { Actions, type PageAction, sponsorEntries } from './ActionMenu.tsx'

type SponsorProps = { member: MemberPage; onAction: (action: PageAction) => void }

/** Both credits: the sealed record of how the member joined, and where staff moved them since. */
export function Sponsor({ member, onAction }: SponsorProps) {
  const { session } = useConsole()
  const { joined, moves, problem } = member.credit
  return (
    <Panel title="Sponsor">
      {problem && <Notice tone="alert">{problem}</Notice>}
      <ul className="rows">
        <li>
          <div>
            <p>
              Joined through <SiteLink site={joined.site} /> <bdi>{joined.name}</bdi>
            </p>
            <p className="small">
              {showTime(member.joined_at, session.time_zone)} ·{' '}
              {problem ? 'the sealed record does not fit' : 'sealed record, intact'}
            </p>
          </div>
        </li>
        {moves.map(({ to, reason, who, at }) => (
          <li key={at}>
            <div>
              <p>
                Moved to <SiteLink site={to.site} /> <bdi>{to.name}</bdi>
              </p>
              <p className="small">
                {showTime(at, session.time_zone)} · <bdi>{who}</bdi>
              </p>
              {reason && <p className="reason">“{reason}”</p>}
            </div>
          </li>
        ))}
        <Placement placement={member.placement} />
      </ul>
      <Actions entries={sponsorEntries(member)} onAction={onAction} />
    </Panel>
  )
}

/** Where a commission plan should put the member, and the newest reason. */
function Placement({ placement: { side, parent, moves } }: Pick<MemberPage, 'placement'>) {
  const { session } = useConsole()
  const last = moves.at(-1)
  return (
    <li>
      <div>
        <p>
          Placement: {placementTexts[side].toLowerCase()}, under{' '}
          {parent ? (
            <>
              <SiteLink site={parent.site} /> <bdi>{parent.name}</bdi>
            </>
          ) : (
            'the sponsor'
          )}
        </p>
        {last && (
          <p className="small">
            {showTime(last.at, session.time_zone)} · <bdi>{last.who}</bdi>
          </p>
        )}
        {last?.reason && <p className="reason">“{last.reason}”</p>}
      </div>
    </li>
  )
}

const SiteLink = ({ site }: { site: string }) => (
  <Link to={`/console/members${toQuery({ sponsor: site })}`}>/{site}</Link>
)
