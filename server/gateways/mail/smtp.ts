import { createTransport } from 'nodemailer'
import type { MailGateway } from './port.ts'

/** A real mail server, by its address: smtp://name:password@host:port */
export const smtpMail = (address: string, from: string): MailGateway => {
  const transport = createTransport({ url: address, connectionTimeout: 10_000, socketTimeout: 20_000 })
  return {
    name: 'smtp',
    send: async ({ to, attachment, ...letter }) => {
      await transport.sendMail({
        ...letter,
        from,
        to: { name: '', address: to }, // as an object it is one address, whatever stands in it
        attachments: attachment ? [attachment] : [],
        headers: { 'Auto-Submitted': 'auto-generated' }, // no holiday replies, please
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    },
  }
}
