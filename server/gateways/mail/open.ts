import type { MailGateway } from './port.ts'

type Settings = { MAIL: string; MAIL_FROM: string; requiresMailTls: boolean }

/** Loaded only if a mail server is configured. */
export async function connectSmtp({ MAIL, MAIL_FROM, requiresMailTls }: Settings): Promise<MailGateway> {
  const { smtpMail } = await import('./smtp.ts')
  return smtpMail(MAIL, MAIL_FROM, { requiresTls: requiresMailTls })
}
