import { useEffect, useEffectEvent } from 'react'
import { MASTER } from '#contract/site.ts'
import type { StartData } from '#contract/start.ts'
import { ask } from '#web/dialog/ask.ts'
import type { Question } from '#web/dialog/question.ts'
import { Notice } from '#web/Notice.tsx'
import { orderFailed } from './order/orderFailed.ts'

/** What a visitor should know about the link they opened. */
export function ArrivalNotice({ start }: { start: StartData }) {
  const { sponsor, unknown_site, other_sponsor, is_chosen } = start
  const name = <bdi>{sponsor.name}</bdi>
  const inactive = sponsor.active === 'Yes' ? undefined : sponsorInactive(sponsor.name)
  useInactiveDialog(inactive)
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
      <Notice title={<>You also opened a link from {other}.</>}>
        You are joining with {name}, {is_chosen ? 'the sponsor you chose' : 'whose link you opened first'}.{' '}
        <button className="link" type="button" onClick={() => switchSponsor(other_sponsor.site)}>
          Join with {other} instead
        </button>
      </Notice>
    )
  }
  if (!unknown_site) return null
  return (
    <Notice title={`We couldn’t find the link “${unknown_site}”.`}>
      You are joining with {name}. If someone invited you, please ask them for their link again.
    </Notice>
  )
}

/** Text from the spec. Its only button goes to the main website. */
export const sponsorInactive = (sponsor: string): Question => ({
  title: `Please be informed that ${sponsor}'s website is currently inactive`,
  icon: 'info',
  confirm: 'Click here and sign up on our main website.',
  mayDismiss: false,
})

/** Goes to the other sponsor's page. The tab keeps the draft. */
async function switchSponsor(sponsor_site: string) {
  try {
    const { api } = await import('#web/api.ts')
    const { site } = await api.chooseSponsor({ sponsor_site })
    location.assign(`/${site}`)
  } catch (error) {
    ask(orderFailed(error))
  }
}

/** Shows the notice as a dialog too. Back does not return to the inactive page. */
function useInactiveDialog(question: Question | undefined) {
  const show = useEffectEvent(async () => {
    if (question && (await ask(question)).confirmed) location.replace(`/${MASTER}`)
  })
  useEffect(() => {
    show()
  }, [])
}
