/** The chance that one of these took longer than one of those. */
export type Longer = {
  /** 0.5 when nothing tells them apart, 1 when each of these took longer than all of those. */
  chance: number
  /** How far from 0.5 it lies by chance alone, as a standard error. */
  error: number
}

/** By ranks (Mann and Whitney), so that a few that took very long weigh no more than others. Equals share their ranks. */
export function chanceOfLonger(these: number[], those: number[]): Longer {
  const all = [...these.map((time) => ({ time, own: 1 })), ...those.map((time) => ({ time, own: 0 }))]
  all.sort((one, other) => one.time - other.time)
  let sum = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    let own = 0
    for (; all[to]?.time === all[from]?.time && to < all.length; to++) own += all[to]?.own ?? 0
    sum += own * ((from + 1 + to) / 2)
    from = to
  }
  const pairs = these.length * those.length
  return {
    chance: (sum - (these.length * (these.length + 1)) / 2) / pairs,
    error: Math.sqrt((all.length + 1) / (12 * pairs)),
  }
}

export const median = (times: number[]): number => {
  const sorted = times.toSorted((one, other) => one - other)
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2
}
