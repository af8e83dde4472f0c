type Quartiles = { median: number; low: number; high: number; count: number }

/** The median, and the quartiles that enclose half of the numbers. */
export function quartiles(numbers: readonly number[]): Quartiles {
  const sorted = [...numbers].sort((a, b) => a - b)
  const quantile = (share: number) => {
    const position = (sorted.length - 1) * share
    const below = sorted[Math.floor(position)] ?? Number.NaN
    const above = sorted[Math.ceil(position)] ?? Number.NaN
    return below + (above - below) * (position - Math.floor(position))
  }
  return { median: quantile(0.5), low: quantile(0.25), high: quantile(0.75), count: sorted.length }
}

export const shuffle = <Item>(items: readonly Item[]): Item[] => {
  const remaining = [...items]
  return items.map(() => remaining.splice(Math.floor(Math.random() * remaining.length), 1)[0] as Item)
}

/** Measures every side once per round, in random order, so that a busy moment does not always hit the same side. */
export async function measureInTurns<Side extends string>(
  sides: Record<Side, () => Promise<number>>,
  rounds: number,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[]
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>
  for (let round = 0; round < rounds; round++)
    for (const name of shuffle(names)) results[name].push(await sides[name]())
  return results
}

/** The quartiles of our share of theirs, round by round: what slows down a round slows down both sides. */
export const ratioQuartiles = (ours: readonly number[], theirs: readonly number[]): Quartiles =>
  quartiles(ours.map((number, round) => number / (theirs[round] ?? Number.NaN)))

export const formatNumber = (number: number): string =>
  number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 2 : number < 100 ? 1 : 0 })

export const formatSpread = ({ low, high, count }: Quartiles, unit = ''): string =>
  `${formatNumber(low)}–${formatNumber(high)}${unit} (quartiles of ${count})`
