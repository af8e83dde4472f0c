const MAX_BYTES = 4 * 1024 * 1024

/** What a vendor answered, up to a size that fits its answers: one that never ends must not fill our memory. */
export async function readLimited({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('more than can be read')
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks)) // takes a byte-order mark away
}
