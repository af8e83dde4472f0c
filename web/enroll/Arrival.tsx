import { useEffect, useEffectEvent } from 'react'
import { MASTER } from '#contract/limits.ts'
import type { StartData } from '#contract/start.ts'
import { ask, type Question } from '#web/dialog/ask.ts'
import { Notice } from '#web/Notice.tsx'
import { sponsorInactive } from './messages.ts'

/** What a visitor should know about the link that brought them here. */
export function Arrival({ start }: { start: StartData }) {
  const { sponsor, unknown_site } = start
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
  if (!unknown_site) return null
  return (
    <Notice title={`We could not find the link “${unknown_site}”.`}>
      You are joining with {sponsor.name}. If somebody invited you, please ask them for their link again.
    </Notice>
  )
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
