export type Chance = ReturnType<typeof chance>

/** Chance that can be repeated: the same seed and the same number throw the same dice. */
export function chance(seed: number, n: number) {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    below,
    /** Happens so often. */
    is: (share: number) => next() < share,
    one: <Thing>(things: readonly [Thing, ...Thing[]] | readonly Thing[]): Thing =>
      things[below(things.length)] as Thing,
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
