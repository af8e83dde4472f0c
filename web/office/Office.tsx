import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { Details } from './details/Details.tsx'
import { Documents } from './details/Documents.tsx'
import { EmailNotice } from './details/EmailNotice.tsx'
import { Referrals } from './link/Referrals.tsx'
import { Visits } from './link/Visits.tsx'
import { YourLink } from './link/YourLink.tsx'
import { Membership } from './membership/Membership.tsx'
import { PaymentProblem } from './membership/PaymentProblem.tsx'
import { OfficeHeader } from './OfficeHeader.tsx'
import { Payments } from './receipt/Payments.tsx'
import { SignOutEverywhere } from './SignOut.tsx'
import { useOffice } from './useOffice.ts'

export function Office({ start }: { start: OfficeView }) {
  const office = useOffice(start)
  const { view } = office
  return (
    <>
      <OfficeHeader />
      <main className="office">
        <div className="greeting">
          <h1 id="heading" tabIndex={-1}>
            Welcome, {view.first_name}
          </h1>
          <p className="lead">
            This is your office. You joined with <bdi>{view.sponsor_name}</bdi> on {longDay(view.joined_on)}.
          </p>
        </div>
        <PaymentProblem membership={view.membership} />
        <EmailNotice view={view} />
        <nav className="section-links" aria-label="Sections">
          <a href="#details">Details</a>
          <a href="#membership">Membership</a>
          <a href="#payments">Payments</a>
          <a href="#documents">Documents</a>
        </nav>
        <YourLink view={view} />
        <div className="columns">
          <div className="column">
            <Visits view={view} />
            <Membership office={office} />
            <Details office={office} />
          </div>
          <div className="column">
            <Referrals office={office} />
            <Payments office={office} />
            <Documents accepted={view.accepted} />
          </div>
        </div>
        <SignOutEverywhere>
          <a className="button quiet" href="/office/security">
            Sign-in and security
          </a>
        </SignOutEverywhere>
      </main>
    </>
  )
}
