import { Socket } from 'node:net'
import { createTransport, type Transporter } from 'nodemailer'
import type { Bounce } from '#server/db/tables.ts'
import { type AccountCheck, accountOk } from '#server/gateways/account.ts'
import { type MailGateway, UndeliverableAddress } from './port.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** For the whole email: a server that keeps responding "wait" never runs into the other timeouts. */
const DEADLINE_MS = 60_000

/** One lost connection happens. */
const MAX_UNANSWERED = 2

type Options = {
  deadlineMs?: number
  /** Sends nothing, not even the password, to a server that offers no TLS or has a certificate that is not trusted. */
  requiresTls?: boolean
}

/** Sends through a mail server with a URL such as smtp://name:password@host:port. */
export function smtpMail(
  url: string,
  from: string,
  { deadlineMs = DEADLINE_MS, requiresTls = false }: Options = {},
): MailGateway {
  const connect = async <Result>(work: (transport: Transporter) => Promise<Result>): Promise<Result> => {
    const socket = new Socket()
    const timer = setTimeout(() => socket.destroy(), deadlineMs)
    const transport = createTransport({ ...timeouts, url, socket, requireTLS: requiresTls })
    return work(transport).finally(() => clearTimeout(timer))
  }

  let unanswered = 0
  const senderHost = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'

  return {
    name: 'smtp',
    send: async ({ key, to, attachment, unsubscribeUrl, ...content }) => {
      const mail = {
        ...content,
        ...(key ? { messageId: `<${key}@${senderHost}>` } : {}), // lets mail systems hide a duplicate
        from,
        to: { name: '', address: to }, // an object is one address, even if the text looks like several
        attachments: attachment ? [attachment] : [],
        headers: {
          'Auto-Submitted': 'auto-generated', // prevents automatic replies
          ...(unsubscribeUrl ? unsubscribeHeaders(unsubscribeUrl) : {}),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      }
      await connect((transport) => transport.sendMail(mail)).catch((error: SmtpError) => {
        unanswered = isDown(error) ? unanswered + 1 : 0
        const { code, responseCode } = error
        const message = `the mail server did not accept the email (${[code, responseCode].filter(Boolean).join(' ')})`
        const bounce = bounceOf(error)
        throw bounce ? new UndeliverableAddress(message, bounce) : new Error(message)
      })
      unanswered = 0
    },
    isAnswering: () => unanswered < MAX_UNANSWERED,
    checkAccount: () =>
      connect((transport) => transport.verify()).then(
        () => accountOk,
        (error: SmtpError) => wrongAccount[error.code ?? ''] ?? noAnswer(error),
      ),
  }
}

/** No email would get through now: the server doesn't answer, says that it's closed, or rejects our credentials. */
const isDown = ({ code = '', responseCode }: SmtpError) =>
  responseCode === 421 || code === 'EAUTH' || (!responseCode && connectionCodes.includes(code))
/** Other errors without a reply, such as EENVELOPE and EMESSAGE, are about one email. */
const connectionCodes = ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ETLS', 'EPROTOCOL']

/** What only another setting can fix. */
const wrongAccount: Record<string, AccountCheck> = {
  EAUTH: { state: 'wrong', why: 'The mail server rejected the user name or password in MAIL.' },
  ETLS: {
    state: 'wrong',
    why: 'The mail server offers no TLS. Use smtps://, another port, or, on a network of your own, ALLOW_UNENCRYPTED=mail.',
  },
}

/** A certificate that is not trusted arrives as ESOCKET. */
const noAnswer = ({ code = '', message = '' }: SmtpError): AccountCheck =>
  code === 'ESOCKET' && /certificate/i.test(message)
    ? { state: 'wrong', why: 'The certificate of the mail server is not trusted, or is for another host.' }
    : { state: 'unknown', why: `The mail server in MAIL does not answer (${code || 'no code'}).` }

const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** The server's own message may contain the address, so it is not passed on. */
type SmtpError = { message?: string; code?: string; responseCode?: number; command?: string; response?: string }

/** Why the address takes no email, for good. Other rejections may be temporary, or can be fixed by the operator. */
const bounceOf = ({ command, response = '' }: SmtpError): Bounce | undefined =>
  command === 'RCPT TO' ? bounces.find(([pattern]) => pattern.test(response))?.[1] : undefined

const bounces: [RegExp, Bounce][] = [
  [/^5\d\d[ -]5\.1\.(?:1|2|6|10)\b/, 'unknown'],
  [/^5\d\d[ -]5\.1\.3\b/, 'malformed'],
  [/^5\d\d[ -]5\.2\.1\b/, 'closed'],
  [
    /^55[013][ -](?!\d\.\d).*(?:no such|unknown (?:user|recipient|mailbox)|(?:user|recipient|mailbox) (?:unknown|not found)|does(?: not|n't) exist)/i,
    'unknown',
  ],
]
