/** Files that spreadsheets open. The mark at the start tells them that it is UTF-8. */
export const CSV_START = '\ufeff'

type Cell = string | number | null | undefined

/** A row with its line break, as RFC 4180 has it. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/**
 * A spreadsheet runs a cell that begins like this as a formula, whoever wrote it. Some skip spaces first, some read full-width
 * signs as their plain ones, and some split a line at a semicolon or a tab, so every cell is quoted as well.
 */
const FORMULA = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

function csvCell(value: Cell): string {
  const text = String(value ?? '').replaceAll('\0', '')
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
