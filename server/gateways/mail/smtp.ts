import { Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { type MailGateway, UndeliverableAddress } from './port.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** For the whole email: a server that keeps responding "wait" never runs into the other timeouts. */
const DEADLINE_MS = 60_000

/** Sends through a mail server with a URL such as smtp://name:password@host:port. */
export const smtpMail = (address: string, from: string, deadlineMs = DEADLINE_MS): MailGateway => ({
  name: 'smtp',
  send: async ({ to, attachment, unsubscribeUrl, ...content }) => {
    const mail = {
      ...content,
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
    const socket = new Socket()
    const timer = setTimeout(() => socket.destroy(), deadlineMs)
    const transport = createTransport({ ...timeouts, url: address, socket })
    const sending = transport.sendMail(mail).finally(() => clearTimeout(timer))
    await sending.catch((error: SmtpError) => {
      const { code, responseCode } = error
      const ErrorClass = isUnknownRecipient(error) ? UndeliverableAddress : Error
      throw new ErrorClass(
        `the mail server did not accept the email (${[code, responseCode].filter(Boolean).join(' ')})`,
      )
    })
  },
})

const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** The server's own message may contain the address, so it is not passed on. */
type SmtpError = { code?: string; responseCode?: number; command?: string; response?: string }

/** The address permanently does not exist. Other rejections may be temporary, or can be fixed by the operator. */
const isUnknownRecipient = ({ command, response = '' }: SmtpError) =>
  command === 'RCPT TO' && (unknownByCode.test(response) || unknownByText.test(response))
const unknownByCode = /^5\d\d[ -]5\.(?:1\.(?:1|3|6|10)|2\.1)\b/
const unknownByText =
  /^55[013][ -](?!\d\.\d).*(?:no such|unknown (?:user|recipient|mailbox)|(?:user|recipient|mailbox) (?:unknown|not found)|does(?: not|n't) exist)/i
