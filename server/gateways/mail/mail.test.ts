import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testMailAdapter } from '#emulators/adapter-tests/mail.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { testDatabase } from '#server/test/database.ts'
import { confirmed, joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { outboxMail } from './outbox.ts'
import type { Email, MailGateway } from './port.ts'
import { smtpMail } from './smtp.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

testMailAdapter('outbox', async () => {
  const database = await testDatabase()
  return {
    gateway: outboxMail({ db: database.db, now: () => new Date(0) }),
    delivered: async () => {
      const rows = await database.db.selectFrom('message').selectAll().execute()
      return rows.map(({ recipient, subject, body, html, attachment }) => ({
        to: recipient,
        subject,
        text: body,
        html,
        ...(attachment ? { attachment } : {}),
      }))
    },
    breakDown: () => database.db.schema.dropTable('message').execute(),
    close: database.close,
  }
})

testMailAdapter('smtp', async () => {
  const { gateway, received, close } = await mailServer()
  return {
    gateway,
    delivered: () => Promise.all(received.map(read)),
    breakDown: close,
    close: async () => undefined,
  }
})

const HEADERS = ['from', 'to', 'subject', 'auto-submitted', 'message-id', 'date', 'mime-version', 'content-type']
const EVE = 'eve@evil.example'

it.each<[what: string, Partial<Email>]>([
  ['a subject of several lines', { subject: `Hello\r\nBcc: ${EVE}\r\n\r\nAnother body` }],
  ['a subject with bare line feeds', { subject: `Hello\nBcc: ${EVE}` }],
  ['a file whose name is a header', { attachment: { filename: `a"\r\nBcc: ${EVE}`, content: '{}' } }],
])('15.12 %s adds no header and no recipient', async (_what, changes) => {
  const { gateway, received, close } = await mailServer()
  await gateway.send({ to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello', ...changes })
  expect(received.map(({ recipients }) => recipients)).toEqual([['zoe@mail.example']])
  const read = await PostalMime.parse(received[0]?.raw ?? '')
  expect(read.headers.map(({ key }) => key).toSorted()).toEqual(HEADERS.toSorted())
  expect([read.text?.trim(), read.html?.trim()]).toEqual(['Hello', '<p>Hello'])
  await close()
})

it('15.18 an email that can be unsubscribed from has the headers for one click, and others have not', async () => {
  const { gateway, received, close } = await mailServer()
  const email = { to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello' }
  await gateway.send({ ...email, unsubscribeUrl: 'https://foyer.example/office/unsubscribe/a.b' })
  const { headers } = await PostalMime.parse(received[0]?.raw ?? '')
  const listHeaders = headers.filter(({ key }) => key.startsWith('list-')).map(({ key, value }) => [key, value])
  expect(listHeaders).toEqual([
    ['list-unsubscribe', '<https://foyer.example/office/unsubscribe/a.b>'],
    ['list-unsubscribe-post', 'List-Unsubscribe=One-Click'],
  ])
  await close()
})

it.each([
  `zoe@mail.example, ${EVE}`,
  `zoe@mail.example;${EVE}`,
  `zoe@mail.example <${EVE}>`,
  `zoe@mail.example\r\nBcc: ${EVE}`,
  `zoe@mail.example>\r\nRCPT TO:<${EVE}`,
])('15.12 %j is not two recipients, and is rejected', async (to) => {
  const { gateway, received, close } = await mailServer()
  await expect(gateway.send({ to, subject: 'Hello', text: 'Hello', html: '<p>Hello' })).rejects.toThrow()
  expect(received).toEqual([])
  await close()
})

describe('15.12 an email whose sender died after the mail server accepted it', () => {
  /** Sends pending emails twice. The first time, nothing is recorded. */
  const sendTwice = async (gateway: MailGateway) => {
    const member = await joinedMember(site)
    const dying = async (email: Email) => {
      await gateway.send(email)
      throw new Error('killed')
    }
    await runJobs({ ...site.world, mail: { ...gateway, send: dying } }, jobGroups.emails)
    site.advance(60)
    await runJobs({ ...site.world, mail: gateway }, jobGroups.emails)
    await site.db.deleteFrom('job').execute()
    return member
  }

  it('is sent again with the same Message-ID, by which mail systems recognize it', async () => {
    const { gateway, received, close } = await mailServer()
    const { email } = await sendTwice(gateway)
    const own = received.filter(({ recipients }) => recipients.includes(email))
    const ids = await Promise.all(own.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId))
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]) // welcome and consent
    expect(ids[0]).toMatch(/^<[\w-]+@foyer\.example>$/)
    await close()
  })

  it('is in the outbox once', async () => {
    const { email } = await sendTwice(site.world.mail)
    const messages = await site.db.selectFrom('message').select('subject').where('recipient', '=', email).execute()
    expect(messages).toHaveLength(2)
  })
})

it('15.12 the mail server’s message about a recipient is not passed on', async () => {
  const refusing = {
    onRcptTo: ({ address }: { address: string }, _: unknown, done: (error: Error) => void) =>
      done(new Error(`no ${address} here`)),
  }
  const { gateway, close } = await mailServer(refusing)
  const refused = gateway.send({ to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello' })
  await expect(refused).rejects.toThrow('the mail server did not accept the email (EENVELOPE 550)')
  expect(inspect(await refused.catch((error: unknown) => error), { depth: 5 })).not.toContain('zoe')
  await close()
})

it.each([
  ['550 no such person', true],
  ['551 user unknown', true],
  ['550 relay not permitted', false],
  ['550 your address is in a black list', false],
  ['550 5.2.2 the mailbox is full', false],
  ['550 5.1.1 no such person', true],
  ['550 5.1.2 no such host', true],
  ['553 5.1.3 that is no address', true],
  ['550 5.2.1 the mailbox is closed', true],
  ['450 4.2.0 later, please', false],
  ['452 4.2.2 the mailbox is full', false],
  ['550 5.1.8 your own address leads nowhere', false],
  ['550 5.7.1 nothing from you', false],
  ['554 5.7.1 no relaying', false],
])('15.12 an email rejected with %s is not retried: %s', async (reply, isFinal) => {
  const [code, ...text] = reply.split(' ')
  const { gateway, close } = await mailServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error(text.join(' ')), { responseCode: Number(code) })),
  })
  const world = { ...site.world, mail: gateway }
  const { email } = await joinedMember(site)
  await runJobs(world, jobGroups.emails)
  const jobs = await site.db.selectFrom('job').selectAll().where('kind', '=', 'welcome').execute()
  const last_error = `the mail server did not accept the email (EENVELOPE ${code})`
  expect(jobs).toMatchObject([{ tries: 1, last_error, done_at: isFinal ? expect.any(Date) : null }])
  expect(site.log()).not.toContain(email)
  await site.db.deleteFrom('job').execute()
  await close()
})

it('15.12 an email that nodemailer refuses counts its tries, and others are sent', async () => {
  const { gateway, close } = await mailServer()
  const bad = { to: '', subject: 'Hello', text: 'Hello', html: '<p>Hello' }
  for (let count = 0; count < 3; count++) await expect(gateway.send(bad)).rejects.toThrow('EENVELOPE')
  expect(gateway.isAnswering()).toBe(true)
  const send = (email: Email) => gateway.send({ ...email, to: bad.to })
  await joinedMember(site)
  await runJobs({ ...site.world, mail: { ...gateway, send } }, ['welcome'])
  const job = site.db.selectFrom('job').select('tries').where('kind', '=', 'welcome')
  expect(await job.execute()).toEqual([{ tries: 1 }])
  await site.db.deleteFrom('job').execute()
  await close()
})

it('15.12 a mail server is down after two connections that fail', async () => {
  const { gateway, close } = await mailServer()
  await close()
  const email = { to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello' }
  await expect(gateway.send(email)).rejects.toThrow()
  expect(gateway.isAnswering()).toBe(true)
  await expect(gateway.send(email)).rejects.toThrow()
  expect(gateway.isAnswering()).toBe(false)
})

describe('21.18 an address that the mail server refuses', () => {
  const refusing = (reply: string): SMTPServerOptions => ({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })),
  })
  const send = async (member: { username: string }, reply?: string) => {
    const { gateway, received, close } = await mailServer(reply ? refusing(reply) : {})
    while (await runJobs({ ...site.world, mail: gateway }, jobGroups.emails));
    await close()
    const row = await site.db
      .selectFrom('member')
      .select(['id', 'email', 'email_bounced_at', 'email_bounce'])
      .where('username', '=', member.username)
      .executeTakeFirstOrThrow()
    return { ...row, received }
  }
  const viewOf = async (cookie: string) => (await site.get('/api/office/view', { cookie })).json()

  it.each([
    ['550 5.1.1 no such person', 'unknown'],
    ['550 no such person', 'unknown'],
    ['553 5.1.3 that is no address', 'malformed'],
    ['550 5.2.1 the mailbox is closed', 'closed'],
  ])(
    '21.18 with %s is noted as %s, shown in the office and to staff, and its emails are given up',
    async (reply, why) => {
      const member = await memberInOffice(site)
      const { id, email_bounced_at, email_bounce } = await send(member, reply)
      expect([email_bounced_at, email_bounce]).toEqual([site.world.now(), why])
      expect((await viewOf(member.cookie)).email_notice).toBe('undeliverable')
      const staff = await staffMember(site, 'support')
      expect((await staff.get(`members/${id}`)).json()).toMatchObject({ email_bounce: why })
      const { problems } = (await staff.get('problems')).json()
      expect(problems.filter(({ member }: { member?: { id: string } }) => member?.id === id)).not.toEqual([])
      const waiting = site.db.selectFrom('job').select('kind').where('done_at', 'is', null)
      expect(await waiting.where('kind', 'in', jobGroups.emails).execute()).toEqual([])
      expect(site.log()).not.toContain(member.email)
    },
  )

  it.each(['450 4.2.1 later', '550 5.7.1 nothing from you', '550 relay not permitted'])(
    '21.18 with %s is not noted, because the address may be fine',
    async (reply) => {
      const member = await joinedMember(site)
      expect((await send(member, reply)).email_bounced_at).toBeNull()
      await site.db.deleteFrom('job').execute()
    },
  )

  it('21.18 is forgotten once a new address replaces it, and the new one gets the link over SMTP', async () => {
    const member = await memberInOffice(site)
    await send(member, '550 5.1.1 no such person')
    const email = `right.${member.email}`
    const { cookie, password } = member
    await site.post('office/email', { email, current_password: password }, { cookie })
    const { email_bounced_at, received } = await send(member)
    expect(email_bounced_at).toBeNull()
    const link = received.find(({ recipients }) => recipients[0] === email)
    const { text = '' } = await PostalMime.parse(link?.raw ?? '')
    const token = /confirm-email#([\w-]{43})/.exec(text)?.[1] ?? ''
    expect((await site.post('office/confirm-email', { token })).json()).toEqual({ email })
    expect(await viewOf(cookie)).not.toHaveProperty('email_notice')
  })

  it('21.18 is not the member’s own if only a new address that waits for its link was refused', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    await send(member)
    const { cookie, password } = member
    await site.post('office/email', { email: `wrong.${member.email}`, current_password: password }, { cookie })
    expect((await send(member, '550 5.1.1 no such person')).email_bounced_at).toBeNull()
  })
})

it.each(['EHLO', 'RCPT', '.'])(
  '15.12 a mail server that keeps responding "wait" to %s is disconnected at the deadline',
  async (last) => {
    const server = createServer((socket) => {
      const steps: Record<string, string> = { EHLO: '250 hello', MAIL: '250 ok', RCPT: '250 ok', DATA: '354 go on' }
      const wait = () => socket.write('250-wait\r\n')
      let waiting: NodeJS.Timeout | undefined
      socket.write('220 slow\r\n')
      socket.on('data', (bytes) => {
        const word = /^\w+/.exec(String(bytes))?.[0] ?? ''
        if (word === last || (last === '.' && String(bytes).endsWith('\r\n.\r\n'))) waiting = setInterval(wait, 50)
        else if (steps[word]) socket.write(`${steps[word]}\r\n`)
      })
      socket.on('error', () => undefined)
      socket.on('close', () => clearInterval(waiting))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const gateway = smtpMail(`smtp://127.0.0.1:${port}`, 'Foyer <hello@foyer.example>', { deadlineMs: 500 })
    const email = { to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello' }
    await expect(gateway.send(email)).rejects.toThrow('the mail server did not accept the email (ECONNECTION)')
    await new Promise((resolve) => server.close(resolve)) // no connection is left open
  },
)

type Received = { recipients: string[]; raw: Buffer }

/** A local mail server, and the emails it received. */
async function mailServer(more: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...more,
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        received.push({ recipients, raw: Buffer.concat(parts) })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    gateway: smtpMail(`smtp://127.0.0.1:${port}`, 'Foyer <hello@foyer.example>'),
    received,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function read({ recipients, raw }: Received): Promise<Email> {
  const {
    subject = '',
    text = '',
    html = '',
    attachments,
  } = await PostalMime.parse(raw, { attachmentEncoding: 'utf8' })
  const [file] = attachments
  return {
    to: recipients.join(),
    subject,
    text: withOneLineBreak(text),
    html: withOneLineBreak(html),
    ...(file ? { attachment: { filename: String(file.filename), content: String(file.content) } } : {}),
  }
}

const withOneLineBreak = (text: string) => `${text.trimEnd()}\n` // mail parts end with extra line breaks
