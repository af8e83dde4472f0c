/** Reports of messages at fields. Not in contract/paths.ts, which the first script loads. */
export const messageReports = { method: 'POST', path: '/funnel/messages' } as const

export type MessageReport = { field: string; message: number }

/** A number for a sentence: the server knows which sentences there are, so the browser sends no text. */
export const messageKey = (sentence: string): number =>
  [...sentence].reduce((key, character) => (key * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32, 0)
