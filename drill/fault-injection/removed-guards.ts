import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hooks, Statement } from './hooks.ts'

const DELAY_MS = 2000

const newReference = () => randomUUID().replaceAll('-', '').slice(0, 20)
const includes = (text: string) => (statement: Statement) => statement.sql.includes(text)
const readsOtherAttempts = ({ sql, earlier }: Statement) =>
  /^select .* from "payment" where "enrollment_id" = \$1 .*order by "attempt"/.test(sql) &&
  Boolean(earlier?.some(includes('insert into "enrollment"')))
const writesAuthorizing = ({ sql, parameters, earlier }: Statement) =>
  !earlier && sql.startsWith('update "payment" set') && parameters[0] === 'authorizing'

/** The product without one of its guards. The drill for that guard must notice. */
export const removedGuards = {
  /** Every request has a new reference at the gateway, so a lookup never finds it. */
  key: {
    payment: (gateway) => ({
      ...gateway,
      authorize: (hold, signal) => gateway.authorize({ ...hold, reference: newReference() }, signal),
    }),
  },
  /** Several enrollments can claim one name. The drill drops the primary key of `claim` in its own database. */
  names: {},
  /** Attempts do not wait for each other: none sees another attempt of its enrollment, nor its claims. */
  turn: {
    database: {
      instead: (statement) => (readsOtherAttempts(statement) ? Promise.resolve({ rows: [] }) : undefined),
    },
  },
  /** `authorizing` is written only after the gateway was called. */
  journal: {
    database: {
      instead: (statement, execute) => {
        if (!writesAuthorizing(statement)) return undefined
        void sleep(DELAY_MS)
          .then(execute)
          .catch(() => undefined)
        return Promise.resolve({ rows: [], numAffectedRows: 1n })
      },
    },
  },
  /** The visitor hears "Approved" before the member is committed. */
  commit: {
    database: {
      lateCommit: (statements) => (statements.some(includes('insert into "member"')) ? DELAY_MS : undefined),
    },
  },
} satisfies Record<string, Hooks>

export type RemovedGuard = keyof typeof removedGuards

/** Charges every renewal a second time, as a worker does that shares nothing with the first. */
export const secondWorker: Hooks = {
  payment: (gateway) => ({
    ...gateway,
    charge: async (renewal, signal) => {
      await gateway.charge({ ...renewal, reference: newReference() }, signal)
      return gateway.charge(renewal, signal)
    },
  }),
}
