/**
 * A document as plain text with a little markup, for everyday edits: '## Heading', '- item', '1. item', '> quote', **bold**,
 * *italic* and [link](https://…); an empty line begins a paragraph. The stored text stays HTML.
 */

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}
const decode = (html: string) => html.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)
const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const headings: Record<string, string> = { h2: '## ', h3: '### ', h4: '#### ' }

/** Undefined if plain text would lose something; then only the HTML can be edited. */
export function toPlainText(html: string): string | undefined {
  const text = blocksOf(html)
    .map(({ tag, inner }) => blockText(tag, inner))
    .join('\n\n')
  return compact(toHtml(text)) === compact(html) ? text : undefined
}

/** Without the white space between blocks, which a browser doesn't show either. */
const compact = (html: string) =>
  decode(html.replace(/\s+/g, ' ').replace(/ ?(<\/?(?:h[2-4]|p|ul|ol|li|blockquote|br)(?: \/)?>) ?/g, '$1'))
    .replaceAll('<br />', '<br>')
    .replace(/<(\/?)b>/g, '<$1strong>')
    .replace(/<(\/?)i>/g, '<$1em>')
    .trim()

const blocksOf = (html: string) =>
  [...html.matchAll(/<(h[2-4]|p|ul|ol|blockquote)>([\s\S]*?)<\/\1>/g)].map(([, tag = 'p', inner = '']) => ({
    tag,
    inner,
  }))

function blockText(tag: string, inner: string): string {
  if (tag === 'ul' || tag === 'ol')
    return [...inner.matchAll(/<li>([\s\S]*?)<\/li>/g)]
      .map(([, item = ''], index) => `${tag === 'ul' ? '-' : `${index + 1}.`} ${inlineText(item)}`)
      .join('\n')
  if (tag === 'blockquote') return `> ${inlineText(inner.replace(/<\/?p>/g, ''))}`
  return `${headings[tag] ?? ''}${inlineText(inner)}`
}

const inlineText = (html: string) =>
  decode(
    html
      .replace(/\s+/g, ' ')
      .replace(/ ?<br ?\/?> ?/g, '\n')
      .replace(/<a href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g, '[$2]($1)')
      .replace(/<\/?(?:strong|b)>/g, '**')
      .replace(/<\/?(?:em|i)>/g, '*'),
  ).trim()

export const toHtml = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter(Boolean)
    .map(blockHtml)
    .join('\n')

function blockHtml(block: string): string {
  const [, marks, heading] = /^(#{2,4}) (.*)$/s.exec(block) ?? []
  if (marks && heading) return `<h${marks.length}>${inlineHtml(heading)}</h${marks.length}>`
  const lines = block.split('\n')
  if (lines.every((line) => /^[-*] /.test(line))) return list('ul', lines, /^[-*] /)
  if (lines.every((line) => /^\d+\. /.test(line))) return list('ol', lines, /^\d+\. /)
  if (lines.every((line) => line.startsWith('>')))
    return `<blockquote>${inlineHtml(lines.map((line) => line.replace(/^> ?/, '')).join('\n'))}</blockquote>`
  return `<p>${inlineHtml(block)}</p>`
}

const list = (tag: string, lines: string[], mark: RegExp) =>
  `<${tag}>\n${lines.map((line) => `<li>${inlineHtml(line.replace(mark, ''))}</li>`).join('\n')}\n</${tag}>`

const inlineHtml = (text: string) =>
  encode(text)
    .replace(/\[([^\]\n]+)\]\(((?:https?:\/\/|mailto:)[^\s)"]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*\n]+)\*/g, '<em>$1</em>')
    .replaceAll('\n', '<br />')
