import { inflateSync } from 'node:zlib'
import decodeQR from 'qr/decode.js'
import { expect, it } from 'vitest'
import { qrCodePng, qrCodeSvg } from './qr-code.ts'

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

/** Reads a PNG of one bit per pixel. */
function readPng(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const length = png.readUInt32BE(33)
  const bits = inflateSync(png.subarray(41, 41 + length))
  const bytesPerLine = 1 + Math.ceil(width / 8)
  const data = new Uint8Array(width * height * 4).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isWhite = ((bits[y * bytesPerLine + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1
      if (!isWhite) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  return { width, height, data }
}

it.each(['http://localhost:3000/zoe', `https://members.a-rather-long-name.example/${'x'.repeat(30)}`])(
  '15.14 a camera reads %s',
  (link) => {
    expect(decodeQR(renderPixels(qrCodeSvg(link)))).toBe(link)
    expect(decodeQR(readPng(qrCodePng(link)))).toBe(link)
  },
)
