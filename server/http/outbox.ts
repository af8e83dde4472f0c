import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { brand } from '#contract/brand.ts'
import { fields } from '#contract/fields.ts'
import type { OutboxMessage } from '#contract/pages.ts'
import type { Db } from '#server/db/db.ts'
import type { World } from '#server/world.ts'
import { type Shell, sendPage } from './shell.ts'

/** A letter is shown as a mail reader would: no script, nothing from anywhere. */
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** What embedded parts would have sent, for eyes and for programs. */
export function addOutbox(app: FastifyInstance, { db }: World, shell: Shell) {
  type To = { Querystring: { to?: string } }
  type One = { Params: { id: string } }
  const asked = { schema: { hide: true, querystring: z.object({ to: z.optional(fields.recipient) }) } }
  const one = { schema: { hide: true, params: z.object({ id: z.uuid() }) } }
  app.get<To>('/__outbox.json', asked, async ({ query }, reply) =>
    reply.send(JSON.stringify(await messagesTo(db, query.to))),
  )
  app.get<To>('/__outbox', asked, async (request, reply) => {
    const body = shell.pages.outbox(await messagesTo(db, request.query.to))
    return sendPage(request, reply, shell, { title: `Outbox · ${brand.name}`, body })
  })
  app.get<One>('/__outbox/:id', one, async ({ params }, reply) => {
    const letter = await messageBy(db, params.id)
    if (!letter?.html) return reply.callNotFound()
    return reply.type('text/html; charset=utf-8').header('content-security-policy', letterPolicy).send(letter.html)
  })
  app.get<One>('/__outbox/:id/attachment', one, async ({ params }, reply) => {
    const file = (await messageBy(db, params.id))?.attachment
    if (!file) return reply.callNotFound()
    const name = encodeURIComponent(file.filename)
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .send(file.content)
  })
}

const MOST = 100

/** Newest first; to one recipient, or to everyone. */
async function messagesTo(db: Db, recipient: string | undefined): Promise<OutboxMessage[]> {
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
const messageBy = (db: Db, id: string) =>
  db.selectFrom('message').select(['html', 'attachment']).where('id', '=', id).executeTakeFirst()
