import { MASTER } from '#contract/limits.ts'
import type { StartData } from '#contract/start.ts'
import { Notice } from '#web/Notice.tsx'

/** What a visitor should know about the link that brought them here. */
export function Arrival({ start }: { start: StartData }) {
  const { sponsor, unknown_site } = start
  if (sponsor.active !== 'Yes')
    return (
      <Notice tone="alert" title={`Please be informed that ${sponsor.name}'s website is currently inactive`}>
        <a className="link" href={`/${MASTER}`}>
          Click here and sign up on our main website.
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
