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

/** The accent on a dark background, where dark text must be readable on it. */
export const darkTheme = { accent: '#85cdb6', 'accent-deep': '#a3dcc9', 'accent-tint': '#213b33' }

/**
 * The theme as CSS custom properties, placed first in the style sheet. `brand` and `brand-deep` stay the same in the dark, for
 * drawings and the card with the member's link.
 */
export const brandCss = (): string => {
  const { accent, 'accent-deep': deep } = theme
  const dark = properties(darkTheme)
  const light = properties({ ...theme, brand: accent, 'brand-deep': deep })
  return `:root{${light}}[data-theme=dark]{${dark}}@media(prefers-color-scheme:dark){:root{${dark}}}`
}

const properties = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
