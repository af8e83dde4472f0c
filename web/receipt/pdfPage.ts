import { encodeText, type FontName, textWidth } from './helvetica.ts'

/** A text as a picture, for scripts that the fonts of a PDF lack. Lengths are in points. */
export type DrawnText = {
  jpeg: Uint8Array
  pixels: { width: number; height: number }
  width: number
  height: number
  /** From the lower edge up to the line that the letters stand on. */
  baseline: number
}
export type DrawText = (text: string, font: FontName, size: number, color: string) => DrawnText

type TextStyle = {
  size: number
  font?: FontName
  /** '#0b5d4a' */
  color?: string
  align?: 'left' | 'right'
  /** A longer text is set smaller. */
  maxWidth?: number
}

/** US Letter, in points. */
export const PAGE = { width: 612, height: 792 }

/** A PDF with text and lines on the newest of its pages. `y` is the distance from the top. */
export function createPdf(draw: DrawText) {
  let content: string[] = []
  const pages = [content]
  const images: DrawnText[] = []

  const write = (text: string, x: number, y: number, style: TextStyle) => {
    const { size, font = 'regular', color = '#000000', align = 'left', maxWidth = PAGE.width } = style
    const bytes = encodeText(text)
    const image = bytes ? undefined : draw(text, font, size, color)
    const width = image?.width ?? textWidth(text, font, size)
    const scale = Math.min(1, maxWidth / width)
    const left = align === 'right' ? x - width * scale : x
    const bottom = PAGE.height - y
    if (bytes) {
      const place = `/${font} ${number(size * scale)} Tf ${number(left)} ${number(bottom)} Td`
      content.push(`BT ${colorOf(color)} rg ${place} <${hex(bytes)}> Tj ET`)
    } else if (image) {
      const box = [image.width * scale, 0, 0, image.height * scale, left, bottom - image.baseline * scale]
      // Readers copy and read aloud the text, not the picture.
      content.push(`/Span <</ActualText <${utf16(text)}>>> BDC q ${box.map(number).join(' ')} cm`)
      content.push(`/image${images.push(image)} Do Q EMC`)
    }
  }
  const line = (y: number, [from, to]: [number, number], color: string, thickness = 0.75) => {
    const bottom = number(PAGE.height - y)
    content.push(`${colorOf(color)} RG ${thickness} w ${number(from)} ${bottom} m ${number(to)} ${bottom} l S`)
  }
  /** Returns its number. */
  const addPage = (): number => {
    content = []
    return pages.push(content)
  }
  return { write, line, addPage, toBytes: (title: string) => toFile(title, pages, images) }
}

/** '#0b5d4a' → '0.043 0.365 0.29' */
const colorOf = (color: string) =>
  [1, 3, 5].map((start) => number(Number.parseInt(color.slice(start, start + 2), 16) / 255)).join(' ')
const number = (value: number) => String(Math.round(value * 1000) / 1000)
const hex = (bytes: number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** As a PDF writes text outside its pages: UTF-16 with a byte order mark. */
const utf16 = (text: string) =>
  `feff${Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0')).join('')}`

/** The objects of the file one after the other, and the table that says where each begins. */
function toFile(title: string, pages: string[][], images: DrawnText[]): Uint8Array<ArrayBuffer> {
  const fontObject = (name: string) => `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`
  const FIRST_PAGE = 6
  const FIRST_IMAGE = FIRST_PAGE + 2 * pages.length
  const imageNames = images.map((_, index) => `/image${index + 1} ${FIRST_IMAGE + index} 0 R`).join('')
  const kids = pages.map((_, index) => `${FIRST_PAGE + 2 * index} 0 R`).join(' ')
  const box = `[0 0 ${PAGE.width} ${PAGE.height}]`
  const resources = `<</Font<</regular 3 0 R/bold 4 0 R>>/XObject<<${imageNames}>>>>`
  const objects: (string | [dictionary: string, stream: Uint8Array])[] = [
    '<</Type/Catalog/Pages 2 0 R/Lang(en-US)/ViewerPreferences<</DisplayDocTitle true>>>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}/MediaBox${box}/Resources${resources}>>`,
    fontObject('Helvetica'),
    fontObject('Helvetica-Bold'),
    `<</Title<${utf16(title)}>>>`,
    ...pages.flatMap((content, index): [string, [string, Uint8Array]] => [
      `<</Type/Page/Parent 2 0 R/Contents ${FIRST_PAGE + 2 * index + 1} 0 R>>`,
      ['', ascii(content.join('\n'))],
    ]),
    ...images.map(({ jpeg, pixels }): [string, Uint8Array] => [
      `/Type/XObject/Subtype/Image/Width ${pixels.width}/Height ${pixels.height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
      jpeg,
    ]),
  ]
  const parts: Uint8Array[] = [ascii('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n')] // four bytes that say that the file is not text
  const length = () => parts.reduce((sum, part) => sum + part.length, 0)
  const offsets = objects.map((object, index) => {
    const offset = length()
    const [dictionary, stream] = typeof object === 'string' ? [object] : object
    parts.push(ascii(`${index + 1} 0 obj\n`))
    if (stream) parts.push(ascii(`<<${dictionary}/Length ${stream.length}>>\nstream\n`), stream, ascii('\nendstream'))
    else parts.push(ascii(dictionary))
    parts.push(ascii('\nendobj\n'))
    return offset
  })
  const start = length()
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(ascii(`xref\n0 ${size}\n0000000000 65535 f \n${entries}`))
  parts.push(ascii(`trailer\n<</Size ${size}/Root 1 0 R/Info 5 0 R>>\nstartxref\n${start}\n%%EOF\n`))
  const file = new Uint8Array(length())
  let position = 0
  for (const part of parts) {
    file.set(part, position)
    position += part.length
  }
  return file
}

/** One byte for each character. */
const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
