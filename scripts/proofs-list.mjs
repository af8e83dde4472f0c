// npm run proofs: the parts of the drill and the bench, what their newest full run showed, and whether it still holds.
import { listProofs } from './proofs.mjs'

/** Folders first, then those that are left out. */
function formatCovers(covers) {
  const isOut = (path) => path.startsWith('!')
  const included = covers.filter((path) => !isOut(path)).join(' ')
  const out = covers.filter(isOut).map((path) => path.slice(1))
  return out.length ? `${included}, without ${out.join(' ')}` : included
}

const heads = ['part', 'when', 'commit', 'result', 'seconds', 'state', 'covers']
const list = listProofs()
const rows = list.map(({ part, proof, state, changed, covers }) => [
  part,
  proof?.day ?? '',
  proof?.commit.slice(0, 7) ?? '',
  proof?.result ?? '',
  String(proof?.seconds ?? ''),
  state === 'stale' ? `STALE, ${changed.length ? `${changed.length} files changed` : 'its commit is gone'}` : state,
  formatCovers(covers),
])
const widths = heads.map((_, column) => Math.max(...[heads, ...rows].map((row) => row[column].length)))
for (const row of [heads, ...rows])
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )

const count = (state) => list.filter((entry) => entry.state === state).length
console.log(
  `\n${count('current')} current, ${count('stale')} stale, ${count('failed')} failed, ${count('never run')} never run`,
)
