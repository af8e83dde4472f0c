/** An expected "no": a status, a sentence for the visitor, and messages by field. Never logged as an error. */
export class Refusal extends Error {
  readonly status: number
  readonly details: {
    fields?: Record<string, string[]>
    retryAfter?: number
    body?: { status: 0; success: false } | { last_common_cursor: string }
  }

  constructor(status: number, message: string, details: Refusal['details'] = {}) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** Whether a request failed for a reason of ours, not the visitor's: no limit may count it. */
export const isOurFailure = (error: unknown): boolean => !(error instanceof Refusal) || error.status >= 500

/** Invalid values, with messages by field. */
export const refuseFields = (fields: Record<string, string | string[]>): Refusal => {
  const lists = Object.fromEntries(Object.entries(fields).map(([field, messages]) => [field, [messages].flat()]))
  return new Refusal(422, 'Please check the marked fields.', { fields: lists })
}

/** For a field without a place on the screen: its message is also the sentence. */
export const refuseField = (field: string, sentence: string): Refusal =>
  new Refusal(422, sentence, { fields: { [field]: [sentence] } })

/** The database is moving. Nothing was done, or it's found by the same key: the same request may be sent again. */
export const oneMoment = (): Refusal =>
  new Refusal(503, 'One moment, please. We’ll try again for you.', { retryAfter: 2 })

/** The same when something was done, or may have been. */
export const unfinished = (): Refusal =>
  new Refusal(503, 'We couldn’t finish this. Please check what was saved before you try again.')

/** Too many requests at once. */
export const tooBusy = (): Refusal =>
  new Refusal(503, 'We’re very busy right now. Please try again in a moment.', { retryAfter: 5 })
