export type Column<Row> = { head: string; widest: number; tell: (row: Row) => string }

/** The rows as a table that a terminal can show, long cells in several lines. */
export function table<Row>(columns: Column<Row>[], rows: Row[]): string[] {
  const heads = columns.map(({ head }) => [head])
  const body = rows.map((row) => columns.map(({ tell, widest }) => wrap(tell(row), widest)))
  const widths = columns.map((_, column) =>
    Math.max(...[heads, ...body].flatMap((cells) => (cells[column] ?? []).map(({ length }) => length))),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─')
  const shown = [heads, ...body].map((cells) => {
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, column) => (cell[line] ?? '').padEnd(widths[column] ?? 0))
        .join(' │ ')
        .trimEnd(),
    )
  })
  return shown.flatMap((lines, index) => (index ? [rule, ...lines] : lines))
}

function wrap(text: string, widest: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line && line.length + 1 + word.length > widest) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines
}
