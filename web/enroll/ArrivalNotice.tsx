import { useEffect, useEffectEvent } from 'react'
import { MASTER } from '#contract/site.ts'
import type { StartData } from '#contract/start.ts'
import { ask, type Question } from '#web/dialog/ask.ts'
import { Notice } from '#web/Notice.tsx'
import { orderFailed, sponsorInactive } from './order/orderFailed.ts'

/** What a visitor should know about the link that brought them here. */
export function Arrival({ start }: { start: StartData }) {
  const { sponsor, unknown_site, other_sponsor, is_chosen } = start
  const name = <bdi>{sponsor.name}</bdi>
  const inactive = sponsor.active === 'Yes' ? undefined : sponsorInactive(sponsor.name)
  useOnlyWayOn(inactive)
  if (inactive)
    return (
      <Notice tone="alert" title={inactive.title}>
        <a className="link" href={`/${MASTER}`}>
          {inactive.confirm}
        </a>
      </Notice>
    )
  if (other_sponsor) {
    const other = <bdi>{other_sponsor.name}</bdi>
    return (
      <Notice title={<>You have also opened the link of {other}.</>}>
        You are joining with {name}, {is_chosen ? 'whom you chose' : 'whose link came first'}.{' '}
        <button className="link" type="button" onClick={() => joinInstead(other_sponsor.site)}>
          Join with {other} instead
        </button>
      </Notice>
    )
  }
  if (!unknown_site) return null
  return (
    <Notice title={`We could not find the link “${unknown_site}”.`}>
      You are joining with {name}. If somebody invited you, please ask them for their link again.
    </Notice>
  )
}

/** The choice is the visitor's. What they have typed is kept by the tab. */
async function joinInstead(sponsor_site: string) {
  try {
    const { api } = await import('#web/api.ts')
    const { site } = await api.chooseSponsor({ sponsor_site })
    location.assign(`/${site}`)
  } catch (error) {
    ask(orderFailed(error))
  }
}

/** Says it once more, over the page, with no other answer. The page behind is not kept for Back. */
function useOnlyWayOn(question: Question | undefined) {
  const show = useEffectEvent(async () => {
    if (question && (await ask(question)).confirmed) location.replace(`/${MASTER}`)
  })
  useEffect(() => {
    show()
  }, [])
}
