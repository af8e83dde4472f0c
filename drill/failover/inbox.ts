import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A receipt names its charge. */
export type Letter = { id: string; what: string }

/** A mail server that keeps what it accepts. */
export async function startInbox() {
  const letters: Letter[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const receive = async () => {
        const { messageId: id = '', subject = '', text = '' } = await PostalMime.parse(await buffer(stream))
        const [, reference = ''] = /Reference\W+(\w{20})/.exec(text) ?? []
        letters.push({ id, what: `${envelope.rcptTo[0]?.address}: ${subject} ${reference}`.trim() })
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
