import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outfit } from './crash-points.ts'
import type { Statement } from './hooks.ts'

const LATE_MS = 2000

const has = (text: string) => (statement: Statement) => statement.sql.includes(text)
const asksTurn = ({ sql, earlier }: Statement) =>
  /^select .* from "payment" where "enrollment_id" = \$1 order by "attempt"/.test(sql) &&
  Boolean(earlier?.some(has('insert into "enrollment"')))
const saysAuthorizing = ({ sql, parameters, earlier }: Statement) =>
  !earlier && sql.startsWith('update "payment" set') && parameters[0] === 'authorizing'

/** A guard of the product taken away, from outside. Each must be caught by the drill that it is meant for. */
export const sabotages = {
  /** Every request has another name at the gateway, so nobody finds it again. */
  key: {
    outfit: {
      payment: (inner) => ({
        ...inner,
        authorize: (hold, signal) =>
          inner.authorize({ ...hold, reference: randomUUID().replaceAll('-', '').slice(0, 20) }, signal),
      }),
    },
  },
  /** Everybody may claim a name. The primary key of the claims is dropped in the drill's own database. */
  names: { outfit: {} },
  /** Nobody waits for their turn: no attempt ever sees another one of its enrollment, nor its claims. */
  turn: {
    outfit: { watch: { instead: (statement) => (asksTurn(statement) ? Promise.resolve({ rows: [] }) : undefined) } },
  },
  /** That the gateway is asked is written down only later. */
  journal: {
    outfit: {
      watch: {
        instead: (statement, run) => {
          if (!saysAuthorizing(statement)) return undefined
          void sleep(LATE_MS)
            .then(run)
            .catch(() => undefined)
          return Promise.resolve({ rows: [], numAffectedRows: 1n })
        },
      },
    },
  },
  /** "Approved" is said before the member is committed. */
  commit: {
    outfit: {
      watch: { lateCommit: (statements) => (statements.some(has('insert into "member"')) ? LATE_MS : undefined) },
    },
  },
} satisfies Record<string, { outfit: Outfit }>

export type Sabotage = keyof typeof sabotages
