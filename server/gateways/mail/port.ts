/** Who carries letters. Throws when it could not: the job that sends it is tried again. */
export type MailGateway = { name: string; send: (letter: Letter) => Promise<void> }

export type Letter = { to: string; subject: string; text: string }
