import { type Dispatch, useEffect, useEffectEvent, useLayoutEffect } from 'react'
import { flushSync } from 'react-dom'
import { brand } from '#contract/brand.ts'
import type { StartData } from '#contract/start.ts'
import { fetchDialog } from '#web/dialog/ask.ts'
import { nextStep } from '#web/enroll/flow.ts'
import { fetchNext, isQuiet, screenOf } from '#web/enroll/steps.tsx'
import { whenIdle, whenInteracted, whenPainted } from '#web/timing.ts'
import { currentEntry, type Entry, type Place } from './resume.ts'
import type { Event } from './state.ts'
import type { Wizard } from './wizard.ts'

/** On the screen: the step that was left may still be there, and so may the next one, which comes behind. */
export const onStage = <Found extends HTMLElement>(what: string) =>
  document.querySelector<Found>(`.stage:not([hidden]) ${what}`)

type Heard = { popped: (entry: Entry | null) => unknown; hidden: () => unknown }

/** Back and Forward, and the moment in which the page goes away. */
export function useHistory(heard: Heard) {
  const popped = useEffectEvent(heard.popped)
  const hidden = useEffectEvent(heard.hidden)
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    addEventListener('popstate', ({ state }) => popped(state), { signal })
    addEventListener('pagehide', () => hidden(), { signal })
    return () => gone.abort()
  }, [])
}

/** The page was rendered ahead for everyone. Before it is painted, it becomes this visitor's. */
export function useSettling(
  { step, start }: Wizard,
  settled: boolean,
  place: Place | undefined,
  putIn: (place: Place) => void,
) {
  const settle = useEffectEvent(() => {
    history.scrollRestoration = 'manual'
    if (!place) return
    const entry = currentEntry()
    if (entry?.from === place.step)
      history.back() // it lies below: standing there twice, it would need two Backs to leave
    else history.replaceState({ ...entry, step: place.step } satisfies Entry, '')
    if (!settled) putIn(place)
  })
  useLayoutEffect(() => settle(), [])

  /** A button that was pressed before anybody could hear it. */
  const honour = useEffectEvent(async (button: HTMLElement) => {
    await fetchNext(step, start).catch(() => undefined) // what cannot be fetched is told by the press itself
    document.documentElement.classList.remove('pressed')
    if (button.isConnected && button instanceof HTMLButtonElement) button.form?.requestSubmit(button)
  })
  useEffect(() => {
    if (!settled) return
    document.documentElement.classList.remove('resuming')
    if (currentEntry()?.from) nameTab()
    const button = window.pressed
    window.pressed = null
    if (button) honour(button)
  }, [settled])
}

/** By the heading, which is handed back. */
const nameTab = () => {
  const heading = onStage('#heading')
  document.title = `${heading?.textContent} · ${brand.name}`
  return heading
}

/** After a move: at the top, in the field that is meant or at the heading, which also names the tab. */
export function useFocus(moves: number, focus: string | undefined) {
  useEffect(() => {
    if (!moves) return
    scrollTo(0, 0)
    const field = focus && document.getElementById(focus)
    if (field) field.focus()
    whenPainted(() => {
      const heading = nameTab()
      if (!onStage(':focus')) heading?.focus({ preventScroll: true })
    })
  }, [moves, focus])
}

/** What comes next is fetched and made before it is asked for, and what was left is taken away when there is time. */
export function useReadiness(wizard: Wizard, start: StartData, dispatch: Dispatch<Event>) {
  const { step, moves, leaving } = wizard

  /** Made, and measured out; a step that would begin its work at once is only rehearsed. */
  const prepare = useEffectEvent(async () => {
    const next = nextStep(step, start.policy)
    const Next = screenOf(next)
    if (Next && isQuiet(next)) {
      flushSync(() => dispatch({ type: 'readied', ahead: next }))
      document.querySelector('.ahead #heading')?.getBoundingClientRect()
    } else if (Next && !moves) {
      const { rehearse } = await import('#web/enroll/rehearse.tsx')
      rehearse(Next, wizard)
    }
  })

  const isNew = moves === 0
  useEffect(() => {
    const bring = () => {
      fetchNext(step, start)
        .then(() => whenIdle(prepare))
        .catch(() => undefined)
      whenIdle(() => fetchDialog().catch(() => undefined)) // nobody waits for it
    }
    return isNew ? whenInteracted(bring) : void whenIdle(bring)
  }, [step, start, isNew])

  useEffect(() => {
    if (leaving) whenIdle(() => dispatch({ type: 'left' }))
  }, [leaving, dispatch])
}
