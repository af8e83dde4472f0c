import decodeQR from 'qr/decode.js'
import { expect, it } from 'vitest'
import { qrCode } from './qr-code.ts'

const SCALE = 4

/** Renders the SVG to pixels. Its paths are dark rectangles, one module high. */
function renderPixels(svg: string) {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1])
  const side = size * SCALE
  const data = new Uint8Array(side * side * 4).fill(255)
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row++)
      for (let column = Number(x) * SCALE; column < (Number(x) + Number(length)) * SCALE; column++)
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
  return { width: side, height: side, data }
}

it.each(['http://localhost:3000/zoe', `https://members.a-rather-long-name.example/${'x'.repeat(30)}`])(
  '15.14 a camera reads %s',
  (link) => {
    expect(decodeQR(renderPixels(qrCode(link)))).toBe(link)
  },
)
