import { Activity } from 'react'
import { createRoot } from 'react-dom/client'
import { whenIdle } from '#web/when.ts'
import type { Screen } from './steps.ts'
import type { Wizard } from './wizard.ts'

/**
 * Renders a step once where nobody sees it, and takes it away again: a slow phone takes a third longer for what it does for
 * the first time. Hidden, so that none of its effects runs.
 */
export function rehearse(Step: Screen, wizard: Wizard) {
  const stage = createRoot(document.createElement('div'))
  stage.render(
    <Activity mode="hidden">
      <Step wizard={wizard} />
    </Activity>,
  )
  whenIdle(() => whenIdle(() => stage.unmount()))
}
