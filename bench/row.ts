/** A line of the table at the end, which also names the part. */
export type Row = {
  goal: string
  /** What was promised, from budgets.json. */
  promise: string
  measured: string
  /** The peer or the limit that was measured in the same run. */
  beside: string
  spread: string
  ratio: number | undefined
  passed: boolean
}

/** How much is to be measured. */
export type Bench = {
  /** Shows that everything runs; its numbers say little. */
  short: boolean
  say: (line: string) => void
  /** Keeps the numbers behind the rows with the results, under the part's name. */
  keep: (part: string, figures: unknown) => void
}

export type Part = (bench: Bench) => Promise<Row[]>
