const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** What the pixels need. Everything else, such as comments and times, is dropped. */
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
const MIN_PIXELS = 16
const MAX_PIXELS = 1024

const NOT_A_PNG = { problem: 'This is not a picture that we can show. Please choose another one.' }

/** Reads a PNG chunk by chunk and writes only what its pixels need, and nothing after its end. */
export function checkPng(input: Buffer): { bytes: Buffer } | { problem: string } {
  if (!input.subarray(0, 8).equals(SIGNATURE)) return NOT_A_PNG
  const kept: Buffer[] = [SIGNATURE]
  for (let position = 8; position + 12 <= input.length; ) {
    const end = position + 12 + input.readUInt32BE(position)
    if (end > input.length) return NOT_A_PNG
    const type = input.toString('latin1', position + 4, position + 8)
    const chunk = input.subarray(position, end)
    if ((kept.length === 1) !== (type === 'IHDR')) return NOT_A_PNG
    if (type === 'IHDR' && !hasGoodSize(chunk))
      return { problem: `Please use a picture of ${MIN_PIXELS} to ${MAX_PIXELS} pixels a side.` }
    if (KEPT.has(type)) kept.push(chunk)
    else if (!/^[a-z]/.test(type)) return NOT_A_PNG
    if (type === 'IEND') return { bytes: Buffer.concat(kept) }
    position = end
  }
  return NOT_A_PNG
}

const hasGoodSize = (header: Buffer) =>
  header.length === 25 &&
  [header.readUInt32BE(8), header.readUInt32BE(12)].every((side) => side >= MIN_PIXELS && side <= MAX_PIXELS)
