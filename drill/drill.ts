import { inspect } from 'node:util'
import type { Backend } from './site/backends.ts'

/** One row of the final report; the report adds the drill's name and the database. */
export type ReportRow = {
  /** What was done, in numbers. */
  action: string
  expected: string
  result: string
  passed: boolean
}

/** How long to drill, and where to print. */
export type DrillRun = {
  short: boolean
  /** Everything that is left to chance follows from it, as far as the order of parallel work allows. */
  seed: number
  /** Of each site in the drill of renewals, instead of its own number. */
  members?: number
  /** Replaces this database's part of the progress line. */
  showProgress: (database: string, text: string) => void
  /** Prints a permanent line. */
  print: (line: string) => void
}

export type Drill = (run: DrillRun, backend: Backend) => Promise<ReportRow[]>

export const abortedRow = (result: string): ReportRow => ({ action: 'aborted', expected: '', result, passed: false })

/** Runs a drill. An exception becomes a failed row. */
export const runDrill = (drill: Drill, run: DrillRun, backend: Backend): Promise<ReportRow[]> =>
  drill(run, backend).catch((error: unknown) => {
    run.print(inspect(error)) // with its cause
    return [abortedRow('see the error above')]
  })
