import { sql } from 'kysely'
import type { OutboxMessage } from '#contract/pages.ts'
import type { Db } from './db/open.ts'

const MOST = 100

/** What embedded parts would have sent, newest first; to one recipient, or to everyone. */
export async function messagesTo(db: Db, recipient: string | undefined): Promise<OutboxMessage[]> {
  const all = db
    .selectFrom('message')
    .select(['id', 'channel', 'recipient', 'subject', 'body', 'created_at'])
    .select((row) => row('html', '<>', '').$castTo<boolean>().as('has_html'))
    .select(sql<string | null>`attachment ->> 'filename'`.as('attachment'))
    .orderBy('created_at', 'desc')
    .limit(MOST)
  const found = await (recipient ? all.where('recipient', '=', recipient) : all).execute()
  return found.map((message) => ({ ...message, created_at: message.created_at.toISOString() }))
}

/** What a mail reader would make of one of them. */
export const messageBy = (db: Db, id: string) =>
  db.selectFrom('message').select(['html', 'attachment']).where('id', '=', id).executeTakeFirst()
