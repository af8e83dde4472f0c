import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { PageBrand } from '#contract/brand.ts'
import { timestampIn } from '#contract/days.ts'
import { fields } from '#contract/fields.ts'
import type { OutboxMessage, TestPage } from '#contract/pages.ts'
import type { Db } from '#server/db/db.ts'
import type { World } from '#server/world/world.ts'
import { type Shell, sendPage } from './shell.ts'

/** Emails are shown as a mail client would: without scripts or external files. */
const emailPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The emails and text messages that the embedded mail and phone would have sent, as pages and as JSON. */
export function addOutbox(app: FastifyInstance, world: World, shell: Shell, testPages: TestPage[]) {
  type ByRecipient = { Querystring: { to?: string } }
  type ById = { Params: { id: string } }
  const byRecipient = { schema: { querystring: z.object({ to: z.optional(fields.recipient) }) } }
  const byId = { schema: { params: z.object({ id: z.uuid() }) } }
  app.get<ByRecipient>('/__outbox.json', byRecipient, async ({ query }, reply) =>
    reply.send(JSON.stringify(await listMessages(world, query.to))),
  )
  app.get<ByRecipient>('/__outbox', byRecipient, async (request, reply) => {
    const messages = await listMessages(world, request.query.to)
    const body = (brand: PageBrand) => shell.pages.outbox(messages, testPages, brand)
    return sendPage(request, reply, shell, { title: 'Outbox', body })
  })
  app.get<ById>('/__outbox/:id', byId, async ({ params }, reply) => {
    const email = await findMessage(world.db, params.id)
    if (!email?.html) return reply.callNotFound()
    return reply.type('text/html; charset=utf-8').header('content-security-policy', emailPolicy).send(email.html)
  })
  app.get<ById>('/__outbox/:id/attachment', byId, async ({ params }, reply) => {
    const file = (await findMessage(world.db, params.id))?.attachment
    if (!file) return reply.callNotFound()
    const name = encodeURIComponent(file.filename)
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .send(file.content)
  })
}

const MAX_MESSAGES = 100

/** Newest first. */
async function listMessages({ config, db }: World, recipient: string | undefined): Promise<OutboxMessage[]> {
  const all = db
    .selectFrom('message')
    .select(['id', 'channel', 'recipient', 'subject', 'body', 'created_at'])
    .select((row) => row('html', '<>', '').$castTo<boolean>().as('has_html'))
    .select(sql<string | null>`attachment ->> 'filename'`.as('attachment'))
    .orderBy('created_at', 'desc')
    .limit(MAX_MESSAGES)
  const messages = await (recipient ? all.where('recipient', '=', recipient) : all).execute()
  return messages.map((message) => ({
    ...message,
    created_at: message.created_at.toISOString(),
    sent_at: timestampIn(config.TIME_ZONE, message.created_at),
  }))
}

const findMessage = (db: Db, id: string) =>
  db.selectFrom('message').select(['html', 'attachment']).where('id', '=', id).executeTakeFirst()
