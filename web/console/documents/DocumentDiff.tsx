import { type DiffLine, diffTexts } from './diff.ts'

type Text = { title: string; content: string }

/** What is new in a text, readable by eye and by ear. */
export function DocumentDiff({ before, after }: { before: Text; after: Text }) {
  const lines = diffTexts(before.content, after.content)
  const isSame = before.title === after.title && lines.every(({ kind }) => kind === 'gap')
  return (
    <div className="diff">
      {isSame && <p className="small">Nothing has changed.</p>}
      {before.title !== after.title && (
        <p>
          Title: <del>{before.title}</del> <ins>{after.title}</ins>
        </p>
      )}
      {/* biome-ignore lint/suspicious/noArrayIndexKey: nothing in a line has a state */}
      {!isSame && lines.map((line, index) => <Line key={`${index}-${line.kind}`} line={line} />)}
    </div>
  )
}

function Line({ line }: { line: DiffLine }) {
  if (line.kind === 'gap')
    return <p className="small">{line.count === 1 ? 'One line' : `${line.count} lines`} without changes</p>
  if (line.kind === 'same') return <p className="small">{line.text}</p>
  return (
    <p>
      {line.pieces.map(({ kind, text }, index) => {
        const key = `${index}-${kind}`
        if (kind === 'removed') return <del key={key}>{text}</del>
        if (kind === 'added') return <ins key={key}>{text}</ins>
        return <span key={key}>{text}</span>
      })}
    </p>
  )
}
