import { useEffect, useEffectEvent } from 'react'
import { flushSync } from 'react-dom'
import { fetchDialog } from '#web/dialog/ask.ts'
import { whenIdle, whenInteracted } from '#web/timing.ts'
import { nextStep } from '../flow.ts'
import { mayPreRender, type Steps } from '../steps.ts'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

/** Loads the next step before Next is pressed, and pre-renders it where that has no side effects. */
export function usePreparedStep(wizard: Wizard, steps: Steps, { step, moves, leavingStep }: State) {
  const prepareNext = useEffectEvent(async () => {
    await steps.loadNext(step, wizard.start.policy)
    const next = nextStep(step, wizard.start.policy)
    steps.prepare(next, wizard)
    whenIdle(() => preRender(next))
  })

  const preRender = useEffectEvent((next: typeof step) => {
    if (!mayPreRender(next) || !steps.isLoaded(next) || nextStep(step, wizard.start.policy) !== next) return
    flushSync(() => wizard.update({ preRenderedStep: next }))
    document.querySelector('.pre-rendered h1')?.getBoundingClientRect() // lays it out now, not on Next
  })

  const isFirst = moves === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: every step has its own next one
  useEffect(() => {
    const prepare = () => {
      prepareNext().catch(() => undefined) // pressing Next reports it
      whenIdle(() => fetchDialog().catch(() => undefined))
    }
    return isFirst ? whenInteracted(prepare) : void whenIdle(prepare)
  }, [step, isFirst])

  useEffect(() => {
    if (leavingStep) whenIdle(() => wizard.update({ leavingStep: undefined }))
  }, [wizard, leavingStep])
}
