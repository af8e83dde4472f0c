import { brand } from '#contract/brand.ts'
import { MASTER } from '#contract/site.ts'
import type { Policy, StartData } from '#contract/start.ts'
import { Header } from '#web/Header.tsx'
import { ArrowIcon } from '#web/icons.tsx'

/** A sponsor's page for somebody who has joined in this browser. Works without JavaScript. */
export const AlreadyJoined = ({ start, username }: { start: StartData; username: string }) => {
  const { site, name, active } = start.sponsor
  const isActive = active === 'Yes'
  const { policy } = start
  return (
    <div className="page">
      <Header site={site} />
      <main className="main joined">
        <div>
          <h1>You joined as {username}</h1>
          <p className="lead">{leadOf(policy)}</p>
        </div>
        {(!policy.provider || policy.office_url) && (
          <a className="button" href={policy.office_url ?? `/${site}/office`}>
            Open my office
            <ArrowIcon />
          </a>
        )}
        <form className="card" method="post" action={`/${isActive ? site : MASTER}/another`}>
          <h2>Is this for someone else?</h2>
          <p>
            A friend or a family member can join on this device, too. They will join with{' '}
            {isActive ? <bdi>{name}</bdi> : `our main website, because ${name}'s website is currently inactive`}.
          </p>
          <button type="submit" className="button quiet">
            Enroll another person
          </button>
        </form>
      </main>
    </div>
  )
}

/** In front of an operator's API host, we may not know where the office is. */
function leadOf({ provider, office_url }: Policy) {
  if (!provider) return `Your membership, your receipt and the link to share are in your ${brand.name} office.`
  return office_url
    ? 'Sign in to your virtual office with your username and your password.'
    : `${brand.name} can tell you where to sign in to your virtual office.`
}
