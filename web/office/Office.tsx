import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { ArrowIcon } from '#web/icons.tsx'
import { Details } from './details/Details.tsx'
import { Documents } from './details/Documents.tsx'
import { EmailNotice } from './details/EmailNotice.tsx'
import { Referrals } from './link/Referrals.tsx'
import { Visits } from './link/Visits.tsx'
import { YourLink } from './link/YourLink.tsx'
import { Membership } from './membership/Membership.tsx'
import { StatusLine } from './membership/StatusLine.tsx'
import { OfficeHeader } from './OfficeHeader.tsx'
import { Payments } from './receipt/Payments.tsx'
import { useOffice } from './useOffice.ts'

export function Office({ start }: { start: OfficeView }) {
  const office = useOffice(start)
  const { view } = office
  const { is_over } = view.membership
  return (
    <>
      <OfficeHeader />
      <main className="office">
        <div className="greeting">
          <h1 id="heading" tabIndex={-1}>
            Welcome, {view.first_name}
          </h1>
          <p className="lead">
            You joined with <bdi>{view.sponsor_name}</bdi> on {longDay(view.joined_on)}.
          </p>
        </div>
        <StatusLine {...view.status} />
        <EmailNotice view={view} />
        <nav className="section-links" aria-label="Sections">
          <a href="#membership">Membership</a>
          <a href="#payments">Payments</a>
          <a href="#details">Details</a>
          <a href="#documents">Documents</a>
        </nav>
        {!is_over && <YourLink view={view} />}
        <div className="columns">
          <div className="column">
            <Membership office={office} />
            {is_over && <YourLink view={view} />}
            <Referrals office={office} />
          </div>
          <div className="column">
            <Visits view={view} />
            <Payments office={office} />
            <Details office={office} />
            <Documents accepted={view.accepted} />
            <a className="card fold-head" href="/office/security">
              <span className="fold-title">Sign-in and security</span>
              <ArrowIcon />
            </a>
          </div>
        </div>
      </main>
    </>
  )
}
