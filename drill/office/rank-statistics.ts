/** The chance that one of these took longer than one of those. */
export type Longer = {
  /** 0.5 when nothing tells them apart, 1 when each of these took longer than all of those. */
  chance: number
  /** How far from 0.5 it lies by chance alone, as a standard error. */
  error: number
}

/** Times of two kinds that were taken in the same stretch of time. */
type Stretch = { these: number[]; those: number[] }

/**
 * By ranks (Mann and Whitney), so that a few that took very long weigh no more than others. Only times of one stretch are
 * compared, so that it does not matter how busy the machine was in another.
 */
export function chanceOfLonger(stretches: Stretch[]): Longer {
  let longer = 0
  let pairs = 0
  let variance = 0
  for (const stretch of stretches) {
    const { these, those } = stretch
    const found = these.length * those.length
    longer += pairsLonger(stretch)
    pairs += found
    variance += (found * (these.length + those.length + 1)) / 12
  }
  return { chance: longer / pairs, error: Math.sqrt(variance) / pairs }
}

/** In how many pairs one of these took longer; equals count half. */
function pairsLonger({ these, those }: Stretch): number {
  let count = 0
  for (const one of these) for (const other of those) count += one > other ? 1 : one === other ? 0.5 : 0
  return count
}

export const median = (times: number[]): number => {
  const sorted = times.toSorted((one, other) => one - other)
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2
}
