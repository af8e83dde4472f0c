import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A reply that is a file. It is made while the browser reads it, and no longer when the browser has gone. */
export class Download {
  readonly filename: string
  readonly type: string
  readonly content: AsyncIterable<string>

  constructor(filename: string, type: string, content: AsyncIterable<string>) {
    this.filename = filename
    this.type = type
    this.content = content
  }
}

export const sendDownload = (reply: FastifyReply, { filename, type, content }: Download) =>
  reply
    .type(type)
    .header('content-disposition', `attachment; filename="${filename}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(content, { objectMode: false }))
