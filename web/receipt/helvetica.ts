/** The widths of the characters from space to ~, in thousandths of the font size. Every PDF reader has these two fonts. */
const widths = {
  regular:
    '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584',
  bold: '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584',
}
const parse = (numbers: string) => numbers.split(' ').map(Number)
const fonts = { regular: parse(widths.regular), bold: parse(widths.bold) }
export type FontName = keyof typeof fonts

/** As wide as a digit. */
const OTHER_WIDTH = 556

/** The width of a text in points. A letter with an accent is as wide as without. */
export function textWidth(text: string, font: FontName, size: number): number {
  const thousandths = [...text.normalize('NFD').replace(/\p{M}/gu, '')].map(
    (character) => fonts[font][character.charCodeAt(0) - 32] ?? OTHER_WIDTH,
  )
  return (thousandths.reduce((sum, width) => sum + width, 0) * size) / 1000
}

/** Windows-1252 differs from Latin-1 in these bytes, from 80 on. A dot is a byte without a character. */
const from80 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ'

/** The bytes of a text in the fonts' encoding (WinAnsi); undefined if it has a character that the fonts lack. */
export function encodeText(text: string): number[] | undefined {
  const bytes = [...text.normalize('NFC')].map((character) => {
    const code = character.codePointAt(0) ?? 0
    if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff)) return code
    const index = character === '.' ? -1 : from80.indexOf(character)
    return index < 0 ? undefined : 0x80 + index
  })
  return bytes.includes(undefined) ? undefined : (bytes as number[])
}
