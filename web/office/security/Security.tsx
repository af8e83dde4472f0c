import { useState } from 'react'
import type { SecurityView } from '#contract/office/security.ts'
import { OfficeHeader } from '../OfficeHeader.tsx'
import { SignOutEverywhere } from '../SignOut.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { Sessions } from './Sessions.tsx'

/** Where a member is signed in, and how. */
export function Security({ start }: { start: SecurityView }) {
  const [view, setView] = useState(start)
  return (
    <>
      <OfficeHeader />
      <main className="office security">
        <div className="greeting">
          <h1 id="heading" tabIndex={-1}>
            Sign-in and security
          </h1>
          <p className="lead">
            <a href="/office">Back to your office</a>
          </p>
        </div>
        <div className="columns">
          <SecondFactor view={view} onChange={setView} />
          <Sessions view={view} onChange={setView} />
        </div>
        <SignOutEverywhere />
      </main>
    </>
  )
}
