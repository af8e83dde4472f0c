import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The text in an encoding that the browser accepts, with the headers that say so. */
export async function compress(request: FastifyRequest, reply: FastifyReply, text: string): Promise<Buffer | string> {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
  if (/\bbr\b/.test(accepted)) {
    reply.header('content-encoding', 'br')
    return brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  }
  if (!/\bgzip\b/.test(accepted)) return text
  reply.header('content-encoding', 'gzip')
  return zip(text)
}
