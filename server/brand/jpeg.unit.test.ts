import { expect, it } from 'vitest'
import { checkJpeg } from './jpeg.ts'

const segment = (marker: number, content: Buffer) => {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xff00 + marker, 0)
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}
const start = Buffer.of(0xff, 0xd8)
const end = Buffer.of(0xff, 0xd9)
const quantization = segment(0xdb, Buffer.alloc(65, 1))
const huffman = segment(0xc4, Buffer.alloc(20, 1))
const frame = (width: number, height: number, { marker = 0xc0, bits = 8, components = 3 } = {}) => {
  const content = Buffer.alloc(6 + 3 * components)
  content.writeUInt8(bits, 0)
  content.writeUInt16BE(height, 1)
  content.writeUInt16BE(width, 3)
  content.writeUInt8(components, 5)
  return segment(marker, content)
}
/** With an escaped FF and a restart marker in its data. */
const scan = Buffer.concat([segment(0xda, Buffer.alloc(10, 1)), Buffer.of(1, 2, 0xff, 0, 3, 0xff, 0xd0, 4)])
const exif = segment(0xe1, Buffer.from('Exif\0\0 GPSLatitude 39 31 46'))
const comment = segment(0xfe, Buffer.from('made at home'))

const picture = Buffer.concat([start, quantization, frame(320, 320), huffman, scan, end])

it('15.20 keeps the pixels of a picture', () => {
  expect(checkJpeg(picture)).toEqual({ bytes: picture })
})

it.each([
  ['place and time', [start, exif, quantization, frame(320, 320), huffman, scan, end]],
  ['comment', [start, quantization, comment, frame(320, 320), huffman, scan, end]],
  ['color profile', [start, segment(0xe2, Buffer.alloc(99)), quantization, frame(320, 320), huffman, scan, end]],
  ['thumbnail', [start, segment(0xe0, picture), quantization, frame(320, 320), huffman, scan, end]],
  ['place after the scan', [start, quantization, frame(320, 320), huffman, scan, exif, end]],
  ['file behind the picture', [picture, Buffer.from('<script>'), exif]],
])('15.20 drops the %s', (_what, parts) => {
  expect(checkJpeg(Buffer.concat(parts))).toEqual({ bytes: picture })
})

it('15.20 keeps every scan of a progressive picture', () => {
  const progressive = Buffer.concat([start, frame(320, 320, { marker: 0xc2 }), huffman, scan, huffman, scan, end])
  expect(checkJpeg(progressive)).toEqual({ bytes: progressive })
})

const NOT_A_JPEG = { problem: 'This is not a picture that we can show. Please choose another one.' }
const WRONG_SIZE = { problem: 'Please use a square picture of 64 to 640 pixels.' }

it.each<[string, Buffer[], object]>([
  ['an empty file', [], NOT_A_JPEG],
  ['a PNG', [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')], NOT_A_JPEG],
  ['an SVG', [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')], NOT_A_JPEG],
  ['HTML that starts like a JPEG', [start, Buffer.from('<script>alert(1)</script>')], NOT_A_JPEG],
  ['a picture that is not square', [start, frame(320, 200), scan, end], WRONG_SIZE],
  ['a picture that is too small', [start, frame(63, 63), scan, end], WRONG_SIZE],
  ['a picture that is too large', [start, frame(10_000, 10_000), scan, end], WRONG_SIZE],
  ['a picture without pixels', [start, frame(320, 320), end], NOT_A_JPEG],
  ['a picture without a size', [start, quantization, scan, end], NOT_A_JPEG],
  ['two sizes', [start, frame(320, 320), frame(320, 320), scan, end], NOT_A_JPEG],
  ['a lossless frame', [start, frame(320, 320, { marker: 0xc3 }), scan, end], NOT_A_JPEG],
  ['12 bits', [start, frame(320, 320, { bits: 12 }), scan, end], NOT_A_JPEG],
  ['four colors', [start, frame(320, 320, { components: 4 }), scan, end], NOT_A_JPEG],
  ['a picture that is cut off', [picture.subarray(0, -2)], NOT_A_JPEG],
  ['a segment that is cut off', [picture.subarray(0, 40)], NOT_A_JPEG],
  ['a segment of length 0', [start, Buffer.of(0xff, 0xdb, 0, 0), frame(320, 320), scan, end], NOT_A_JPEG],
])('15.20 refuses %s', (_what, parts, result) => {
  expect(checkJpeg(Buffer.concat(parts))).toEqual(result)
})

it('15.20 never fails on a picture that is cut off or changed anywhere', () => {
  for (let position = 0; position < picture.length; position++) {
    expect(checkJpeg(picture.subarray(0, position))).toEqual(NOT_A_JPEG)
    for (const byte of [0, 1, 0xd8, 0xff]) {
      const changed = Buffer.from(picture)
      changed[position] = byte
      checkJpeg(changed)
    }
  }
})
