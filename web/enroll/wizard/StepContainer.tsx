import { memo } from 'react'
import type { Step } from '#contract/start.ts'
import { screenOf } from '#web/enroll/steps.tsx'
import type { Wizard } from './wizard.ts'

/** Where a step stands: on the screen, ready behind it, or hidden on its way out. */
export function Stage({ step, wizard }: { step: Step; wizard: Wizard }) {
  return (
    <div className={step === wizard.ahead ? 'stage ahead' : 'stage'} hidden={step === wizard.leaving}>
      <Shown step={step} wizard={wizard} version={wizard.version} />
    </div>
  )
}

/** Made again only when there is something else to show: coming forward is not. */
const Shown = memo(({ step, wizard }: { step: Step; wizard: Wizard; version: number }) => {
  const Screen = screenOf(step)
  return Screen && <Screen wizard={wizard} />
})
