// Loaded before Foyer, for a control: a broken connection stays in the pool, whether it was in use or idle.
import pg from 'pg'

type Internals = { _idle: object[]; _pulseQueue: () => void }

Object.assign(pg.Pool.prototype, {
  _release(this: Internals, client: pg.PoolClient, idleListener: () => void) {
    this._idle.push({ client, idleListener, timeoutId: undefined })
    this._pulseQueue()
  },
})
