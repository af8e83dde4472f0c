import { Activity } from 'react'
import { createRoot } from 'react-dom/client'
import { log } from '#web/log.ts'
import { whenIdle } from '#web/timing.ts'
import type { Screen } from './steps.tsx'
import type { Wizard } from './wizard/wizard.ts'

const SEEN_BY_NOBODY_MS = 1000

/**
 * Renders a step once where nobody sees it, and takes it away again: a slow phone takes a third longer for what it does for
 * the first time. Hidden, so that none of its effects runs.
 */
export const rehearse = (Step: Screen, wizard: Wizard) =>
  whenIdle(() => {
    const stage = createRoot(document.createElement('div'), {
      onUncaughtError: (cause) => log('The rehearsal broke off.', cause),
    })
    stage.render(
      <Activity mode="hidden">
        <Step wizard={wizard} />
      </Activity>,
    )
    setTimeout(() => stage.unmount(), SEEN_BY_NOBODY_MS)
  })
