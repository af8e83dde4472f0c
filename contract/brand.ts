/** The operator's brand, in one place: pages, letters, messages and styles take it from here. */
export const brand = {
  name: 'Foyer',
  /** A file of web/public, and its twin favicon.svg. */
  mark: '/assets/mark.svg',
} as const

/** What a search engine or a link's preview says of it; no page carries it elsewhere. */
export const brandDescription =
  'A membership at $99 a month, with an office and a link of your own. You are in within two minutes.'

/** One colour for buttons, links and focus; deeper under the pointer, a tint behind notes. White must be readable on it. */
export const theme = {
  accent: '#0b5d4a',
  'accent-deep': '#084a3b',
  'accent-tint': '#e4efeb',
  radius: '0.625rem',
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif",
  'font-head':
    "'Iowan Old Style', 'Palatino Linotype', Charter, 'Sitka Heading', 'Noto Serif', 'DejaVu Serif', Georgia, serif",
}

/** The looks as the first lines of the style sheet. */
export const brandCss = (): string => {
  const lines = Object.entries(theme).map(([name, value]) => `--${name}:${value}`)
  return `:root{${lines.join(';')}}`
}
