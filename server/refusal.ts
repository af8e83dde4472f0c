/** A clear "no" for the person who asked: a status, a sentence, and messages by field. Not a bug, so never logged as one. */
export class Refusal extends Error {
  readonly status: number
  readonly more: { fields?: Record<string, string[]>; retryAfter?: number; body?: { status: 0; success: false } }

  constructor(status: number, message: string, more: Refusal['more'] = {}) {
    super(message)
    this.status = status
    this.more = more
  }
}

/** The usual one: values that do not fit, each named by its field. */
export const refuseFields = (fields: Record<string, string | string[]>): Refusal => {
  const lists = Object.fromEntries(Object.entries(fields).map(([field, said]) => [field, [said].flat()]))
  return new Refusal(422, 'Please check the marked fields.', { fields: lists })
}

/** One whose sentence is said by itself, because no field on the screen is about it. */
export const refuseField = (field: string, sentence: string): Refusal =>
  new Refusal(422, sentence, { fields: { [field]: [sentence] } })

/** Too many at once, who may all come back. */
export const tooBusy = (): Refusal =>
  new Refusal(503, 'Many people are here right now. Please try again in a moment.', { retryAfter: 5 })
