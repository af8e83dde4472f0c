/** The middle one, and the two that half of them lie between. */
type Middle = { median: number; low: number; high: number; of: number }

export function middleOf(numbers: readonly number[]): Middle {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)] ?? Number.NaN
    const above = sorted[Math.ceil(place)] ?? Number.NaN
    return below + (above - below) * (place - Math.floor(place))
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75), of: sorted.length }
}

export const shuffled = <Thing>(things: readonly Thing[]): Thing[] => {
  const left = [...things]
  return things.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0] as Thing)
}

/** Measures every side once a round, each round in another order, so that nobody has the quiet moments for themselves. */
export async function interleaved<Side extends string>(
  sides: Record<Side, () => Promise<number>>,
  rounds: number,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[]
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>
  for (let round = 0; round < rounds; round++) for (const name of shuffled(names)) found[name].push(await sides[name]())
  return found
}

/** One side by the other, round by round: what slows a round down slows both. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): Middle =>
  middleOf(ours.map((one, round) => one / (theirs[round] ?? Number.NaN)))

export const rounded = (number: number): string =>
  number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 2 : number < 100 ? 1 : 0 })

export const spreadOf = ({ low, high, of }: Middle, unit = ''): string =>
  `${rounded(low)}–${rounded(high)}${unit} (quartiles of ${of})`
