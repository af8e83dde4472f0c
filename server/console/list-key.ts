import { Refusal } from '#server/refusal.ts'

/** Where a page of a list begins: the time and the id of the row before it. */
export const keyOf = (at: Date, id: string): string => Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')

const KEY = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([\da-f-]{36})$/

export function parseKey(text: string): [at: string, id: string] {
  const [, at = '', id = ''] = KEY.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (Number.isNaN(Date.parse(at)) || !id) throw new Refusal(422, 'This page of the list does not exist.')
  return [at, id]
}
