import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export type ReceivedEmail = { to: string; subject: string; links: string[]; file: string }

/** A mail server that delivers nothing: it keeps every email as a file. */
export async function startMailbox(folder: string) {
  mkdirSync(folder, { recursive: true })
  const emails: ReceivedEmail[] = []
  const receive = async (raw: Buffer, to: string) => {
    const file = join(folder, `${emails.length + 1}.eml`)
    writeFileSync(file, raw)
    const { subject = '', text = '' } = await PostalMime.parse(raw)
    emails.push({ to, subject, links: text.match(/https?:\/\/\S+/g) ?? [], file })
  }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address).join(', ')
      buffer(stream)
        .then((raw) => receive(raw, to))
        .then(() => done(), done)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, emails, close: () => new Promise<void>((resolve) => server.close(resolve)) }
}
