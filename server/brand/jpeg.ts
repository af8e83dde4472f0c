/** What size a picture may have, in pixels. */
export type PictureShape = { fits: (width: number, height: number) => boolean; problem: string }

const MIN_PIXELS = 64
const MAX_PIXELS = 640
/** The browser always sends a square JPEG of 320 pixels, whatever file the member chose. */
export const SQUARE: PictureShape = {
  fits: (width, height) => width === height && width >= MIN_PIXELS && width <= MAX_PIXELS,
  problem: `Please use a square picture of ${MIN_PIXELS} to ${MAX_PIXELS} pixels.`,
}

export type CheckedJpeg = { bytes: Buffer } | { problem: string }

const NOT_A_JPEG: CheckedJpeg = { problem: 'This is not a picture that we can show. Please choose another one.' }

const SOI = 0xd8
const EOI = 0xd9
const START_OF_SCAN = 0xda
/** Baseline, extended and progressive: the frames that every browser shows. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
/** What the pixels need: Huffman tables, quantization tables, restart interval. Everything else is dropped. */
const TABLES = new Set([0xc4, 0xdb, 0xdd])

/**
 * Reads a JPEG segment by segment and writes only what its pixels need. Comments and application segments, where cameras
 * store the place and the time, are left out, and so is anything after the end of the picture.
 */
export function checkJpeg(input: Buffer, shape = SQUARE): CheckedJpeg {
  if (input[0] !== 0xff || input[1] !== SOI) return NOT_A_JPEG
  const kept = [input.subarray(0, 2)]
  let hasFrame = false
  let hasScan = false
  for (let position = 2; ; ) {
    const marker = input[position + 1]
    if (input[position] !== 0xff || marker === undefined) return NOT_A_JPEG
    if (marker === EOI && hasScan) return { bytes: Buffer.concat([...kept, Buffer.of(0xff, EOI)]) }
    if (position + 4 > input.length) return NOT_A_JPEG
    const length = input.readUInt16BE(position + 2)
    const end = position + 2 + length
    if (length < 2 || end > input.length) return NOT_A_JPEG
    const segment = input.subarray(position, end)
    position = end
    if (FRAMES.has(marker)) {
      if (hasFrame || !isPlainFrame(segment)) return NOT_A_JPEG
      if (!hasShape(segment, shape)) return { problem: shape.problem }
      hasFrame = true
      kept.push(segment)
    } else if (marker === START_OF_SCAN && hasFrame) {
      hasScan = true
      position = endOfScan(input, end)
      kept.push(segment, input.subarray(end, position))
    } else if (TABLES.has(marker)) kept.push(segment)
    else if (!isMetadata(marker)) return NOT_A_JPEG
  }
}

/** Application segments and comments. */
const isMetadata = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

/** 8 bits per sample, gray or three colors. */
const isPlainFrame = (segment: Buffer) =>
  segment[4] === 8 && (segment[9] === 1 || segment[9] === 3) && segment.length === 10 + 3 * segment[9]

const hasShape = (segment: Buffer, { fits }: PictureShape) => fits(segment.readUInt16BE(7), segment.readUInt16BE(5))

/** The position of the next marker. In compressed data, FF is followed by 00 or by a restart marker. */
function endOfScan(input: Buffer, start: number): number {
  for (let position = start; position < input.length; position++) {
    const next = input[position + 1] ?? 0
    if (input[position] === 0xff && next !== 0 && (next < 0xd0 || next > 0xd7)) return position
  }
  return input.length
}
