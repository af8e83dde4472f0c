import { brand } from '#contract/brand.ts'
import { MASTER } from '#contract/limits.ts'
import type { OfficeMember } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { Message } from '#web/pages/Message.tsx'

const mainEntrance = (
  <a className="button" href={`/${MASTER}`}>
    Go to the main entrance
  </a>
)

/** Where a grant is spent. Its script posts it, and goes in or says that the door stays shut. */
export const OfficeDoor = () => (
  <div id="door">
    <div className="opening">
      <Message title="Opening your office" way={<noscript>This door needs JavaScript to open.</noscript>}>
        One moment, please.
      </Message>
    </div>
    <div className="shut-door" role="alert">
      <Message title="This key has been used" way={mainEntrance}>
        The link into your office works once, and for a minute. If you have just joined, press Login on your welcome
        page for a fresh one.
      </Message>
    </div>
  </div>
)

/** Nobody is signed in. */
export const OfficeClosed = () => (
  <Message title="Nobody is signed in here" way={mainEntrance}>
    Your office opens from the welcome page, right after you have joined.
  </Message>
)

/** What a member finds first: their own link. */
export function Office({ member }: { member: OfficeMember }) {
  const { first_name, sponsor_name, link, joined_on } = member
  return (
    <div className="page">
      <Header />
      <main className="reading">
        <h1>Welcome, {first_name}</h1>
        <p className="lead">This is your office at {brand.name}.</p>
        <section className="card office" aria-labelledby="your-link">
          <h2 id="your-link">Your own link</h2>
          <p>Whoever joins through it joins with you.</p>
          <p className="share">
            <a href={link}>{link}</a>
            <button id="copy" type="button" className="button quiet" data-link={link}>
              Copy
            </button>
          </p>
        </section>
        <section className="card office" aria-labelledby="membership">
          <h2 id="membership">Your membership</h2>
          <dl>
            <div>
              <dt>Joined on</dt>
              <dd>{longDay(joined_on)}</dd>
            </div>
            <div>
              <dt>Joined with</dt>
              <dd>{sponsor_name}</dd>
            </div>
          </dl>
          <p>Your first month is paid. Renewals are not charged yet.</p>
        </section>
        <button id="leave" type="button" className="button quiet">
          Sign out
        </button>
      </main>
    </div>
  )
}

/** '2026-11-15' → 'November 15, 2026' */
const longDay = (day: string) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
