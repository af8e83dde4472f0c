import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { accountOk } from '#server/gateways/account.ts'
import type { MailGateway } from './port.ts'

/** Stores emails for the outbox page instead of sending them. */
export const outboxMail = (parts: { db: Db; now: () => Date }): MailGateway => ({
  name: 'outbox',
  send: async ({ key, to, subject, text, html, attachment }) => {
    const message = {
      id: key ?? randomUUID(),
      channel: 'mail' as const,
      recipient: to,
      subject,
      body: text,
      html,
      attachment: attachment ? JSON.stringify(attachment) : null,
      created_at: parts.now(),
    }
    await insertMessage(parts.db, message)
  },
  isAnswering: () => true,
  checkAccount: async () => accountOk,
})

const insertMessage = statement((db, message: Insertable<Tables['message']>) =>
  db
    .insertInto('message')
    .values(message)
    .onConflict((conflict) => conflict.doNothing()),
)
