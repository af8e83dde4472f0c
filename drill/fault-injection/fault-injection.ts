import { type Callbacks, crashPoints } from './crash-points.ts'
import type { Hooks } from './hooks.ts'
import { type RemovedGuard, removedGuards, secondWorker } from './removed-guards.ts'

/** The fault to inject into a Foyer process, by name. Empty: the product itself, with a clock that can be moved. */
export type Injection = {
  crashPoint?: string
  removedGuard?: RemovedGuard
  hasSecondWorker?: true
  /** How far the clock is ahead at the start. */
  clockAheadSeconds?: number
}

/** Printed by the process when a request to the gateway has started. */
export const GATEWAY_CALL_STARTED = 'gateway call started'

export function hooksFor({ crashPoint, removedGuard, hasSecondWorker }: Injection, callbacks: Callbacks): Hooks {
  if (hasSecondWorker) return secondWorker
  if (removedGuard) return removedGuards[removedGuard]
  if (!crashPoint) return {}
  const found = crashPoints.find(({ name }) => name === crashPoint)
  if (!found) throw new Error(`There is no crash point '${crashPoint}'.`)
  return found.hooks(callbacks)
}
