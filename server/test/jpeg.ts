const segment = (marker: number, content: Buffer) => {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xff00 + marker, 0)
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** A JPEG of a size in base64, with a text where cameras store the place. */
export function testJpeg(width: number, height: number, place = 'here'): string {
  const frame = Buffer.alloc(15)
  frame.writeUInt8(8, 0)
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  frame.writeUInt8(3, 5)
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xe1, Buffer.from(place)),
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xc4, Buffer.alloc(20, place.length)),
    segment(0xda, Buffer.alloc(10, 1)),
    Buffer.of(1, 2, 3, 0xff, 0xd9),
  ]).toString('base64')
}
