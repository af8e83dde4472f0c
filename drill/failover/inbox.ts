import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export type Letter = { id: string; to: string; subject: string }

/** A mail server that keeps what it accepts. */
export async function startInbox() {
  const letters: Letter[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const receive = async () => {
        const { messageId: id = '', subject = '' } = await PostalMime.parse(await buffer(stream))
        letters.push({ id, to: envelope.rcptTo.map(({ address }) => address).join(), subject })
      }
      receive().then(() => done(), done)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
