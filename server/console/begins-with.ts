import { type RawBuilder, sql } from 'kysely'

/** No text sorts after it in the order of bytes. */
const LAST = '\u{10FFFF}'

/** Values that begin with a text, along an index in the order of bytes (`collate "C"`), which `like $1` does not always follow. */
export const beginsWith = (value: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`(${value} >= ${text} and ${value} < ${text + LAST})`
