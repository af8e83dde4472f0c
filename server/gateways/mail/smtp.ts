import { Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { type MailGateway, UndeliverableAddress } from './port.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** For a whole letter: a server that says "wait" again and again is never silent. */
const DEADLINE_MS = 60_000

/** A real mail server, by its address: smtp://name:password@host:port */
export const smtpMail = (address: string, from: string, deadlineMs = DEADLINE_MS): MailGateway => ({
  name: 'smtp',
  send: async ({ to, attachment, ...letter }) => {
    const mail = {
      ...letter,
      from,
      to: { name: '', address: to }, // as an object it is one address, whatever stands in it
      attachments: attachment ? [attachment] : [],
      headers: { 'Auto-Submitted': 'auto-generated' }, // no holiday replies, please
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    const socket = new Socket()
    const late = setTimeout(() => socket.destroy(), deadlineMs)
    const transport = createTransport({ ...timeouts, url: address, socket })
    const sent = transport.sendMail(mail).finally(() => clearTimeout(late))
    await sent.catch((error: SmtpError) => {
      const { code, responseCode } = error
      const Problem = isUnknownRecipient(error) ? UndeliverableAddress : Error
      throw new Problem(`the mail server did not take the letter (${[code, responseCode].filter(Boolean).join(' ')})`)
    })
  },
})

/** A mail server's own words name the person whose letter it was. They go no further. */
type SmtpError = { code?: string; responseCode?: number; command?: string; response?: string }

/** The server knows for good that the address leads nowhere. Not: that it takes nothing from us today, which can be mended. */
const isUnknownRecipient = ({ command, response = '' }: SmtpError) =>
  command === 'RCPT TO' && (unknownByCode.test(response) || unknownByText.test(response))
const unknownByCode = /^5\d\d[ -]5\.(?:1\.(?:1|3|6|10)|2\.1)\b/
const unknownByText =
  /^55[013][ -](?!\d\.\d).*(?:no such|unknown (?:user|recipient|mailbox)|(?:user|recipient|mailbox) (?:unknown|not found)|does(?: not|n't) exist)/i
