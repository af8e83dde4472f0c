import { useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { log } from '#web/log.ts'
import { readableMessage } from '#web/readableMessage.ts'
import type { Answer, Dismissal, Question } from './question.ts'
import { isAnswered, mayFollow, type State, stateAfter } from './states.ts'

/** The state of a question, and every way to answer it. It is answered once. */
export function useAnswer(question: Question, onAnswer: (answer: Answer) => void) {
  const { title, input, signal, mayDismiss = true, onConfirm } = question
  const latestState = useRef<State>('open')
  const [state, setState] = useState<State>('open')
  const [failure, setFailure] = useState<string>()

  /** Returns false if the transition is not allowed. */
  const changeState = (next: State) => {
    if (!mayFollow(latestState.current, next)) return false
    latestState.current = next
    setState(next)
    return true
  }

  const finish = (answer: Answer) => {
    if (changeState(stateAfter(answer))) onAnswer(answer)
  }

  const dismiss = (how: Dismissal) => {
    if (mayDismiss) finish({ dismissed: how })
  }

  const confirm = async (value: string) => {
    const answer: Answer = input ? { confirmed: true, value } : { confirmed: true }
    if (!onConfirm) return finish(answer)
    if (!changeState('loading')) return
    setFailure(undefined)
    try {
      await onConfirm(value)
      finish(answer)
    } catch (cause) {
      log(`The action of '${title}' failed.`, cause)
      setFailure(readableMessage(cause) ?? 'Something went wrong. Please try again.')
      changeState('open')
    }
  }

  // Back leaves the screen that the dialog belongs to.
  const onPopState = useEffectEvent(() => dismiss('close'))
  useLayoutEffect(() => {
    const onPop = () => onPopState()
    addEventListener('popstate', onPop)
    return () => removeEventListener('popstate', onPop)
  }, [])

  const onAbort = useEffectEvent(() => finish({ dismissed: 'close' }))
  useLayoutEffect(() => {
    const onSignal = () => onAbort()
    signal?.addEventListener('abort', onSignal)
    return () => signal?.removeEventListener('abort', onSignal)
  }, [signal])

  return { state, failure, finish, dismiss, confirm, isOver: () => isAnswered(latestState.current) }
}
