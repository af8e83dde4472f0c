import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/open.ts'
import type { MailGateway } from './port.ts'

/** Keeps letters for the outbox page instead of sending them. */
export const outboxMail = (parts: { db: Db; now: () => Date }): MailGateway => ({
  name: 'outbox',
  send: async ({ to, subject, text, html, attachment }) => {
    const letter = {
      id: randomUUID(),
      channel: 'mail' as const,
      recipient: to,
      subject,
      body: text,
      html,
      attachment: attachment ? JSON.stringify(attachment) : null,
      created_at: parts.now(),
    }
    await parts.db.insertInto('message').values(letter).execute()
  },
})
