import type { Attachment } from '#server/db/tables.ts'

/** Who carries letters. Throws when it could not: the job that sends it is tried again, unless there is no such reader. */
export type MailGateway = { name: string; send: (letter: Email) => Promise<void> }

/** Nobody has this address, however often it is tried. */
export class UndeliverableAddress extends Error {}

/** A letter says the same twice: `text` for every reader, `html` for those that show it. It may bring one file. */
export type Email = { to: string; subject: string; text: string; html: string; attachment?: Attachment }
