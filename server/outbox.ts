import type { OutboxMessage } from '#contract/pages.ts'
import type { Db } from './db/open.ts'

const MOST = 100

/** What embedded parts would have sent, newest first; to one recipient, or to everyone. */
export async function messagesTo(db: Db, recipient: string | undefined): Promise<OutboxMessage[]> {
  const all = db
    .selectFrom('message')
    .select(['channel', 'recipient', 'subject', 'body', 'created_at'])
    .orderBy('created_at', 'desc')
    .limit(MOST)
  const found = await (recipient ? all.where('recipient', '=', recipient) : all).execute()
  return found.map((message) => ({ ...message, created_at: message.created_at.toISOString() }))
}
