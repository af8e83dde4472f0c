import { Refusal } from '#server/refusal.ts'

/** Where a page of a list begins: the time and the id of the row before it. */
export const keyOf = (at: Date, id: string): string => Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')

export function parseKey(text: string): [at: string, id: string] {
  const [at = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ')
  if (!isTime(at) || !isId(id)) throw noSuchPage()
  return [at, id]
}

export const noSuchPage = () => new Refusal(422, 'This page of the list doesn’t exist.')

/** A time in the format of our own keys, with milliseconds or microseconds, on a day that exists. */
export function isTime(text: string): boolean {
  const [, day = ''] = /^([12]\d{3}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3,6}Z$/.exec(text) ?? []
  const time = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day)
}

export const isId = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
