import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import type { Step } from '#contract/start.ts'
import { fetchDialog } from '#web/dialog/ask.ts'
import { whenIdle, whenInteracted } from '#web/timing.ts'
import { nextStep } from '../flow.ts'
import { mayPreRender, type Steps } from '../steps.ts'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

/** Loads the next step before Next is pressed, and pre-renders it where that has no side effects. */
export function usePreparedStep(wizard: Wizard, steps: Steps, { step, moves, leavingStep }: State) {
  const isFirst = moves === 0
  useEffect(() => {
    const prepare = () => {
      prepareNext(wizard, steps, step).catch(() => undefined) // pressing Next reports it
      whenIdle(() => fetchDialog().catch(() => undefined))
    }
    return isFirst ? whenInteracted(prepare) : void whenIdle(prepare)
  }, [wizard, steps, step, isFirst])

  useEffect(() => {
    if (leavingStep) whenIdle(() => wizard.update({ leavingStep: undefined }))
  }, [wizard, leavingStep])
}

async function prepareNext(wizard: Wizard, steps: Steps, step: Step) {
  const { policy } = wizard.start
  const next = nextStep(step, policy)
  await steps.loadNext(step, policy)
  steps.prepare(next, wizard)
  whenIdle(() => {
    if (!mayPreRender(next) || wizard.getState().step !== step) return
    flushSync(() => wizard.update({ preRenderedStep: next }))
    document.querySelector('.pre-rendered h1')?.getBoundingClientRect() // lays it out now, not on Next
  })
}
