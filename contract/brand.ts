/** What pages show of the operator's brand. */
export type PageBrand = {
  name: string
  /** The logo: a file in web/public, or one that staff uploaded. */
  mark: string
  /** Only set if it is not the built-in one. */
  accent?: string
  /** A sentence for new members. */
  welcome?: string
}

/**
 * The built-in brand, which staff can replace in the console. In a browser, what they changed is in the attributes of the
 * document. On the server it is set before a page is rendered, so no module of a page may read it while it loads.
 */
export const brand: PageBrand = {
  name: 'Foyer',
  /** Keep web/public/favicon.svg the same. */
  mark: '/assets/mark.svg',
  ...globalThis.document?.documentElement.dataset,
}

/** Shown by search engines and link previews, and nowhere else. It names no price, because prices change. */
export const brandDescription = (name = brand.name): string =>
  `${name} is a membership with your own office and sponsor link. Joining takes two minutes.`

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
export const brandCss = (light: Record<string, string> = theme, dark: Record<string, string> = darkTheme): string => {
  const { accent, 'accent-deep': deep } = light
  const fixed: Record<string, string> = accent && deep ? { brand: accent, 'brand-deep': deep } : {}
  const darkLine = properties(dark)
  return `:root,[data-theme=light]{${properties({ ...light, ...fixed })}}[data-theme=dark]{${darkLine}}@media(prefers-color-scheme:dark){:root{${darkLine}}}`
}

const properties = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
