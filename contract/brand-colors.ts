import { darkTheme, theme } from './brand.ts'

/** Colors from one accent: what is readable, and what goes with it. Used by the server and the console only. */

export type Accents = { accent: string; 'accent-deep': string; 'accent-tint': string }
export type Palette = { light: Accents; dark: Accents }

const READABLE = 4.5
const WHITE = '#ffffff'
/** Text on the accent while the page is dark. */
const DARK_TEXT = '#171510'

export const isHexColor = (text: string): boolean => /^#[\da-f]{6}$/i.test(text)

/** The accent with its darker and lighter companions, on light pages and on dark ones. */
export function paletteOf(accent: string): Palette {
  if (accent === theme.accent)
    return {
      light: { accent, 'accent-deep': theme['accent-deep'], 'accent-tint': theme['accent-tint'] },
      dark: darkTheme,
    }
  const [l, c, h] = toLch(accent)
  return {
    light: {
      accent,
      'accent-deep': toHex([Math.max(l - 0.07, 0.12), c, h]),
      'accent-tint': toHex([0.945, Math.min(c, 0.02), h]),
    },
    dark: {
      accent: toHex([0.79, Math.min(c, 0.11), h]),
      'accent-deep': toHex([0.85, Math.min(c, 0.08), h]),
      'accent-tint': toHex([0.33, Math.min(c, 0.035), h]),
    },
  }
}

/** Whether white text is readable on it, and it on everything that it stands on. */
export function isReadableAccent(accent: string): boolean {
  const { light, dark } = paletteOf(accent)
  const pairs: [string, string][] = [
    [accent, WHITE],
    [accent, light['accent-tint']],
    [light['accent-deep'], light['accent-tint']],
    [dark.accent, DARK_TEXT],
    [dark.accent, dark['accent-tint']],
  ]
  return pairs.every(([one, other]) => contrast(one, other) >= READABLE)
}

/** The same color, only as much darker as it has to be. */
export function nearestReadable(accent: string): string {
  if (isReadableAccent(accent)) return accent
  const [lightest, c, h] = toLch(accent)
  let [low, high] = [0.1, lightest]
  for (let step = 0; step < 24; step++) {
    const middle = (low + high) / 2
    if (isReadableAccent(toHex([middle, c, h]))) low = middle
    else high = middle
  }
  return toHex([low, c, h])
}

/** WCAG's contrast of two colors, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

type Three = [number, number, number]

const luminance = (color: string) => {
  const [r, g, b] = toLinear(color)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const toLinear = (color: string): Three => {
  const channel = (start: number) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

/** Oklch: lightness, chroma and hue as the eye sees them. */
function toLch(color: string): Three {
  const [r, g, b] = toLinear(color)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, bb), Math.atan2(bb, a)]
}

/** With less chroma if a screen could not show the color. */
function toHex([lightness, chroma, hue]: Three): string {
  for (let c = chroma; ; c -= 0.005) {
    const channels = toRgb([lightness, Math.max(c, 0), hue])
    if (c > 0 && channels.some((value) => value < -0.0005 || value > 1.0005)) continue
    return `#${channels.map(toByte).join('')}`
  }
}

function toRgb([lightness, chroma, hue]: Three): Three {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function toByte(linear: number): string {
  const value = Math.min(Math.max(linear, 0), 1)
  const encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, '0')
}
