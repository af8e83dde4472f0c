/** Even, so that the half of each is a whole number too. */
const SMALL = [4, 6, 8]
const STEPS = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100]

/** The top of an axis for counts: round, and never so low that one visit fills the drawing. */
export function topOf(most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(most, 1))) - 1)
  const tops = [...(power === 1 ? SMALL : []), ...STEPS.map((step) => step * power)]
  return tops.find((top) => top >= most) ?? most
}
