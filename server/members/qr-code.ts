import { crc32, deflateSync } from 'node:zlib'
import encodeQR from 'qr'

/** The blank margin that a camera needs to find the code, in modules. */
const QUIET_ZONE = 4

/** Each row of a member's link as a QR code; true is dark. */
const modulesOf = (link: string): boolean[][] => encodeQR(link, 'raw', { ecc: 'medium', border: QUIET_ZONE })

/** A QR code for screens and for print in any size. */
export function qrCodeSvg(link: string): string {
  const { path, size } = qrCodePath(link)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
}

/** The dark modules as the path of an SVG, and its width and height. */
export function qrCodePath(text: string): { path: string; size: number } {
  const rows = modulesOf(text)
  const runs = rows.flatMap((row, y) => darkRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return { path: runs.join(''), size: rows.length }
}

/** The start and length of each run of dark modules in a row. */
function darkRuns(row: boolean[]): [x: number, length: number][] {
  const runs: [number, number][] = []
  row.forEach((dark, x) => {
    if (!dark) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1] += 1
    else runs.push([x, 1])
  })
  return runs
}

/** Whole pixels for each module keep the edges sharp. */
const PIXELS_PER_MODULE = 24

/** The same for programs and sites that take no SVG: a PNG with one bit per pixel. */
export function qrCodePng(link: string): Buffer {
  const rows = modulesOf(link)
  const side = rows.length * PIXELS_PER_MODULE
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1 // bits per pixel; the other bytes mean gray, and no interlacing
  const lines = rows.map((row) => Buffer.concat([Buffer.of(0), pixelLine(row)])) // 0: not filtered
  const pixels = Buffer.concat(lines.flatMap((line) => Array.from({ length: PIXELS_PER_MODULE }, () => line)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A module is three bytes of pixels; white is 1. */
const pixelLine = (row: boolean[]) =>
  Buffer.concat(row.map((dark) => Buffer.alloc(PIXELS_PER_MODULE / 8, dark ? 0 : 255)))

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
