/** How a text is rewritten while it is typed, and which of its signs are only for reading. */
type Grouping = { group: (typed: string) => string; bare: (typed: string) => string }

/**
 * The text regrouped, and the caret behind the same sign as before. `forward` is for the Delete key: it must get past a
 * gap, where Backspace has to stop before it.
 */
export function regroup(typed: string, caret: number, { group, bare }: Grouping, forward = false) {
  const value = group(typed)
  const signs = bare(typed.slice(0, caret)).length
  let place = 0
  for (let seen = 0; seen < signs && place < value.length; place++) if (bare(value[place] ?? '')) seen++
  if (forward) while (place < value.length && !bare(value[place] ?? '')) place++
  return { value, caret: place }
}
