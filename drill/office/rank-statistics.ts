/** The probability that a sample of one group took longer than a sample of the other. */
export type SlowerProbability = {
  /** 0.5: no difference. 1: every sample of the group took longer than all others. */
  probability: number
  standardError: number
}

/** Samples of two groups from the same period. */
type Period = { group: number[]; others: number[] }

/**
 * A Mann–Whitney test, so that outliers weigh no more than other samples. It compares only samples of one period, so that
 * the load on the machine may change between periods.
 */
export function probabilitySlower(periods: Period[]): SlowerProbability {
  let slower = 0
  let pairs = 0
  let variance = 0
  for (const period of periods) {
    const { group, others } = period
    const count = group.length * others.length
    slower += countSlowerPairs(period)
    pairs += count
    variance += (count * (group.length + others.length + 1)) / 12
  }
  return { probability: slower / pairs, standardError: Math.sqrt(variance) / pairs }
}

/** Equal times count half. */
function countSlowerPairs({ group, others }: Period): number {
  let count = 0
  for (const one of group) for (const other of others) count += one > other ? 1 : one === other ? 0.5 : 0
  return count
}

export const median = (times: number[]): number => {
  const sorted = times.toSorted((one, other) => one - other)
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2
}
