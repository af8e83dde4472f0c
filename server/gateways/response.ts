const MAX_BYTES = 4 * 1024 * 1024

/** Reads a vendor's response up to a size limit, so that an endless one cannot exhaust memory. */
export async function readLimited({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks)) // also strips the byte-order mark
}
