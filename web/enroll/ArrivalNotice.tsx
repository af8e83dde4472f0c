import { useEffect, useEffectEvent } from 'react'
import { MASTER } from '#contract/site.ts'
import type { StartData } from '#contract/start.ts'
import { ask } from '#web/dialog/ask.ts'
import type { Question } from '#web/dialog/question.ts'
import { Notice } from '#web/ui/Notice.tsx'

/** What a visitor should know about the link they opened. */
export function ArrivalNotice({ start }: { start: StartData }) {
  const { sponsor, unknown_site, earlier_sponsor } = start
  const name = <bdi>{sponsor.name}</bdi>
  const inactive = sponsor.active === 'Yes' ? undefined : sponsorInactive(sponsor.name)
  useInactiveDialog(inactive)
  if (inactive)
    return (
      <>
        <h1>{inactive.title}</h1>
        <a className="button" href={`/${MASTER}`}>
          {inactive.confirm}
        </a>
      </>
    )
  const earlier = earlier_sponsor && <bdi>{earlier_sponsor.name}</bdi>
  return (
    <>
      {unknown_site && (
        <Notice title={`We couldn’t find the link “${unknown_site}”.`}>
          You are joining with {name}. If someone invited you, please ask them for their link again.
        </Notice>
      )}
      {earlier_sponsor && (
        <Notice title={<>You opened {earlier}’s link first.</>}>
          You are now joining with {name}.{' '}
          <a className="link" href={`/${earlier_sponsor.site}`}>
            Join with {earlier} instead
          </a>
        </Notice>
      )}
    </>
  )
}

/** Text from the spec. Its only button goes to the main website. */
export const sponsorInactive = (sponsor: string): Question => ({
  title: `Please be informed that ${sponsor}'s website is currently inactive`,
  icon: 'info',
  confirm: 'Click here and sign up on our main website.',
  mayDismiss: false,
})

/** Shows the notice as a dialog too. Back does not return to the inactive page. */
function useInactiveDialog(question: Question | undefined) {
  const show = useEffectEvent(async () => {
    if (question && (await ask(question)).confirmed) location.replace(`/${MASTER}`)
  })
  useEffect(() => {
    show()
  }, [])
}
