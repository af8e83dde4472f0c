import { findCrashPoint } from './crash-points.ts'
import type { Hooks } from './hooks.ts'
import { type RemovedGuard, removedGuards } from './removed-guards.ts'

/** The fault to inject into a Foyer process, by name. Empty: the product itself, with a clock that can be moved. */
export type Injection = {
  crashPoint?: string
  removedGuard?: RemovedGuard
  /** How far the clock is ahead at the start. */
  clockAheadSeconds?: number
}

export const hooksFor = ({ crashPoint, removedGuard }: Injection): Hooks =>
  (crashPoint && findCrashPoint(crashPoint).hooks) || (removedGuard && removedGuards[removedGuard]) || {}
