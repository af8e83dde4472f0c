import { hash } from 'node:crypto'
import sanitizeHtml from 'sanitize-html'
import { LOGO_MAX_BYTES } from '#contract/console/brand.ts'
import { checkJpeg } from './jpeg.ts'
import { checkPng } from './png.ts'

export type CheckedLogo = { name: string; content: Buffer } | { problem: string }

const NOT_A_LOGO = 'This is not a logo that we can show. Please choose an SVG, PNG or JPEG file.'

/** Keeps what can be seen, and nothing else that was in the file. */
export function checkLogo(input: Buffer): CheckedLogo {
  if (input.length > LOGO_MAX_BYTES) return { problem: 'This file is too large. A logo has at most 40 kB.' }
  const checked = checkContent(input)
  if ('problem' in checked) return checked
  return { name: `${hash('sha256', checked.bytes, 'hex').slice(0, 32)}.${checked.type}`, content: checked.bytes }
}

type Checked = { type: 'svg' | 'png' | 'jpg'; bytes: Buffer } | { problem: string }

function checkContent(input: Buffer): Checked {
  if (input[0] === 0x89) return withType('png', checkPng(input))
  if (input[0] === 0xff) return withType('jpg', checkJpeg(input))
  const svg = cleanSvg(input.toString('utf8'))
  return svg ? { type: 'svg', bytes: Buffer.from(svg) } : { problem: NOT_A_LOGO }
}

const withType = (type: 'png' | 'jpg', checked: { bytes: Buffer } | { problem: string }): Checked =>
  'problem' in checked ? checked : { type, bytes: checked.bytes }

const shapes = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon']
const containers = ['svg', 'g', 'defs', 'clipPath', 'mask', 'linearGradient', 'radialGradient', 'stop', 'title']
const attributes = [
  ...[
    'viewBox',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
    'fx',
    'fy',
    'd',
    'points',
  ],
  ...['transform', 'fill', 'fill-rule', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-miterlimit', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'clip-rule', 'clip-path', 'mask', 'id'],
  ...['offset', 'stop-color', 'stop-opacity', 'gradientUnits', 'gradientTransform', 'clipPathUnits', 'maskUnits'],
  ...['xmlns', 'preserveAspectRatio'],
]

/** Shapes and gradients only: no script, no style sheet, no link, nothing from elsewhere. */
function cleanSvg(text: string): string | undefined {
  const clean = sanitizeHtml(text, {
    allowedTags: [...containers, ...shapes],
    allowedAttributes: { '*': attributes },
    allowVulnerableTags: false,
    nonTextTags: ['style', 'script', 'textarea', 'option', 'text', 'foreignObject', 'desc', 'metadata'],
    parser: { xmlMode: true, lowerCaseTags: false, lowerCaseAttributeNames: false, decodeEntities: true },
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: onlyLocal(attribs) }) },
  }).trim()
  const isDrawing = /^<svg[^>]*\sviewBox="[\d\s.,-]+"/.test(clean) && clean.endsWith('</svg>')
  if (!isDrawing || !shapes.some((shape) => clean.includes(`<${shape}`))) return undefined
  return clean.includes('xmlns=') ? clean : clean.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
}

/** A value may name another part of the same drawing, url(#a), and nothing else. */
const onlyLocal = (attribs: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(attribs).filter(
      ([name, value]) => name === 'xmlns' || !/[:\\]|url\s*\((?!\s*['"]?#[\w-]+['"]?\s*\))/i.test(value),
    ),
  )
