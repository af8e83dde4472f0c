export type Column<Row> = { head: string; maxWidth: number; format: (row: Row) => string }

/** Formats rows as a table for a terminal. Long cells are wrapped. */
export function table<Row>(columns: Column<Row>[], rows: Row[]): string[] {
  const heads = columns.map(({ head }) => [head])
  const body = rows.map((row) => columns.map(({ format, maxWidth }) => wrap(format(row), maxWidth)))
  const widths = columns.map((_, column) =>
    Math.max(...[heads, ...body].flatMap((cells) => (cells[column] ?? []).map(({ length }) => length))),
  )
  const separator = widths.map((width) => '─'.repeat(width)).join('─┼─')
  const lineGroups = [heads, ...body].map((cells) => {
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, column) => (cell[line] ?? '').padEnd(widths[column] ?? 0))
        .join(' │ ')
        .trimEnd(),
    )
  })
  return lineGroups.flatMap((lines, index) => (index ? [separator, ...lines] : lines))
}

function wrap(text: string, maxWidth: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line && line.length + 1 + word.length > maxWidth) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines
}
