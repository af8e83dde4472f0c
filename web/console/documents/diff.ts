/** What two versions of a text have in common, and what not: by lines first, then by words within the lines that differ. */

export type Piece = { kind: 'same' | 'added' | 'removed'; text: string }
export type DiffLine =
  | { kind: 'same'; text: string }
  | { kind: 'changed'; pieces: Piece[] }
  /** Lines that are the same in both, and far from any change. */
  | { kind: 'gap'; count: number }

/** Beyond this, looking for common words takes longer than it is worth. */
const MAX_CELLS = 4_000_000
/** Unchanged lines that are shown around a change. */
const CONTEXT = 1

export function diffTexts(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    if (removed.length || added.length)
      lines.push({ kind: 'changed', pieces: diffWords(removed.join('\n'), added.join('\n')) })
    removed = []
    added = []
  }
  for (const { kind, text } of diffLists(linesOf(before), linesOf(after))) {
    if (kind === 'removed') removed.push(text)
    else if (kind === 'added') added.push(text)
    else {
      flush()
      lines.push({ kind, text })
    }
  }
  flush()
  return withGaps(lines)
}

/** Empty lines only part the others. */
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim())

/** Words keep the space that follows them; a tag of HTML is a word of its own. */
const wordsOf = (text: string) => text.match(/<[^>]*>\s*|[^\s<]+\s*|<\s*|\s+/g) ?? []

export const diffWords = (before: string, after: string): Piece[] =>
  joinPieces(diffLists(wordsOf(before), wordsOf(after)))

function joinPieces(pieces: Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.kind === piece.kind) last.text += piece.text
    else joined.push({ ...piece })
  }
  return joined
}

/** The longest common subsequence, with everything else as removed or added. */
function diffLists(before: string[], after: string[]): Piece[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const as = (kind: Piece['kind']) => (text: string) => ({ kind, text })
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return [
    ...before.slice(0, start).map(as('same')),
    ...(a.length * b.length > MAX_CELLS ? [...a.map(as('removed')), ...b.map(as('added'))] : commonOf(a, b)),
    ...before.slice(before.length - end).map(as('same')),
  ]
}

function commonOf(a: string[], b: string[]): Piece[] {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pieces: Piece[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push({ kind: 'same', text: a[i++] ?? '' })
      j++
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      pieces.push({ kind: 'removed', text: a[i++] ?? '' })
    else pieces.push({ kind: 'added', text: b[j++] ?? '' })
  }
  return pieces
}

function withGaps(lines: DiffLine[]): DiffLine[] {
  const isChanged = (line: DiffLine | undefined) => line?.kind === 'changed'
  const isNear = (index: number) => lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(isChanged)
  const result: DiffLine[] = []
  for (const [index, line] of lines.entries()) {
    const last = result.at(-1)
    if (line.kind !== 'same' || isNear(index)) result.push(line)
    else if (last?.kind === 'gap') last.count += 1
    else result.push({ kind: 'gap', count: 1 })
  }
  return result
}
