import { isOnThisMachine } from './database-url.ts'
import { isLoopback, type UNENCRYPTED_PARTS } from './rules.ts'
import type { Settings } from './settings.ts'

type Values = Pick<Partial<Settings>, 'DATABASE_URL' | 'MAIL' | 'ALLOW_UNENCRYPTED'>

/** Whether a part is on another machine, and the operator has not allowed to reach it without TLS. */
export const needsTls = (part: (typeof UNENCRYPTED_PARTS)[number], values: Values): boolean =>
  isElsewhere[part](values) && !values.ALLOW_UNENCRYPTED?.includes(part)

const isElsewhere: Record<(typeof UNENCRYPTED_PARTS)[number], (values: Values) => boolean> = {
  database: ({ DATABASE_URL }) => DATABASE_URL !== undefined && !isOnThisMachine(DATABASE_URL),
  mail: ({ MAIL }) => MAIL !== undefined && MAIL !== 'outbox' && !isLoopback(MAIL),
}
