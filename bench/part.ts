/** One row of the result table. */
export type Row = {
  goal: string
  /** The limit from budgets.json. */
  promise: string
  measured: string
  /** The peer or limit that was measured in the same run. */
  beside: string
  spread: string
  ratio: number | undefined
  passed: boolean
}

export type Bench = {
  /** Only check that everything runs; the times mean little. */
  short: boolean
  log: (line: string) => void
  /** Saves the numbers behind the rows in the result file, under the part's name. */
  saveFigures: (part: string, figures: unknown) => void
}

/** One thing that can be measured by name, such as `reads`. */
export type Part = (bench: Bench) => Promise<Row[]>
