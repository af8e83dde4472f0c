/** The operator's brand, in one place: pages, emails, text messages and styles read it from here. */
export const brand = {
  name: 'Foyer',
  /** A file in web/public. Keep favicon.svg there the same. */
  mark: '/assets/mark.svg',
} as const

/** Shown by search engines and link previews, and nowhere else. It names no price, because prices change. */
export const brandDescription = `${brand.name} is a membership with your own office and sponsor link. Joining takes two minutes.`

/** One accent color for buttons, links and focus: darker on hover, a tint behind notes. White text must be readable on it. */
export const theme = {
  accent: '#0b5d4a',
  'accent-deep': '#084a3b',
  'accent-tint': '#e4efeb',
  radius: '0.625rem',
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif",
  'font-head':
    "'Iowan Old Style', 'Palatino Linotype', Charter, 'Sitka Heading', 'Noto Serif', 'DejaVu Serif', Georgia, serif",
}

/** The theme as CSS custom properties, placed first in the style sheet. */
export const brandCss = (): string => {
  const properties = Object.entries(theme).map(([name, value]) => `--${name}:${value}`)
  return `:root{${properties.join(';')}}`
}
