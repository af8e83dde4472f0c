import type { ErrorReply } from '#contract/api.ts'

/** The server rejected the call: a sentence for the visitor, messages by field, and how long to wait, if it said so. */
export class RejectedCall extends Error {
  readonly status: number
  readonly fields: Record<string, string[]>
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, { message, fields = {} }: ErrorReply, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.fields = fields
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Only a 4xx is a clear no. After any other error the server may have done its work. */
export const isRejected = (cause: unknown): cause is RejectedCall =>
  cause instanceof RejectedCall && cause.status >= 400 && cause.status < 500
