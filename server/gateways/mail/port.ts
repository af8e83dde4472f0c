import type { Attachment, Bounce } from '#server/db/tables.ts'
import type { AccountCheck } from '#server/gateways/account.ts'

/** Sends emails. Throws if it fails: the job is then retried, unless the address does not exist. */
export type MailGateway = {
  name: string
  send: (email: Email) => Promise<void>
  /** False while the server accepts no email at all. An email that it refuses is an answer. */
  isAnswering: () => boolean
  /** Whether the mail server can be used with our credentials. Sends nothing. */
  checkAccount: () => Promise<AccountCheck>
}

/** The address takes no email, so a retry is pointless. */
export class UndeliverableAddress extends Error {
  readonly bounce: Bounce

  constructor(message: string, bounce: Bounce) {
    super(message)
    this.bounce = bounce
  }
}

/** An email with the same content as plain text and as HTML. */
export type Email = {
  /** A UUID. An email that is sent again, because we don't know whether it went out, has the same key. */
  key?: string
  to: string
  subject: string
  text: string
  html: string
  attachment?: Attachment
  /** Mail clients offer to unsubscribe, and send a POST to this URL if the reader does (RFC 8058). */
  unsubscribeUrl?: string
}
