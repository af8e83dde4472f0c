import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { testDatabase } from '#server/test/database.ts'
import { outboxMail } from './outbox.ts'
import type { Letter } from './port.ts'
import { keepsMailPromise } from './promise.ts'
import { smtpMail } from './smtp.ts'

keepsMailPromise('outbox', async () => {
  const database = await testDatabase()
  return {
    gateway: outboxMail({ db: database.db, now: () => new Date(0) }),
    delivered: async () => {
      const rows = await database.db.selectFrom('message').selectAll().execute()
      return rows.map(({ recipient, subject, body }) => ({ to: recipient, subject, text: body }))
    },
    breakDown: () => database.db.schema.dropTable('message').execute(),
    close: database.close,
  }
})

keepsMailPromise('smtp', async () => {
  const letters: Letter[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        letters.push(read(Buffer.concat(parts).toString('utf8'), String(session.envelope.rcptTo[0]?.address)))
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    gateway: smtpMail(`smtp://127.0.0.1:${port}`, 'Foyer <hello@foyer.example>'),
    delivered: async () => letters,
    breakDown: () => new Promise((resolve) => server.close(() => resolve())),
    close: async () => undefined,
  }
})

/** Enough of a mail reader for one plain letter. */
function read(raw: string, to: string): Letter {
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, at).replace(/\r\n\s+/g, ' ')
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'mi').exec(head)?.[1] ?? ''
  const subject = field('Subject').replace(/=\?UTF-8\?(.)\?(.*?)\?=\s*/gi, (_, kind: string, text: string) =>
    kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
  )
  const body = raw.slice(at + 4)
  const encoding = field('Content-Transfer-Encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? quoted(body.replaceAll('=\r\n', ''))
        : body
  return { to, subject, text: `${text.replaceAll('\r\n', '\n').trimEnd()}\n` }
}

const quoted = (text: string) => decodeURIComponent(text.replaceAll('%', '%25').replace(/=([0-9A-F]{2})/g, '%$1'))
