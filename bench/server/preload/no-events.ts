import pg from 'pg'

// Loaded before Foyer. Takes the insert of each event out of its statement. The parameters stay, so the rest is the same.
const originalQuery = pg.Client.prototype.query as (...args: unknown[]) => unknown

const TYPES = { id: 'uuid', type: 'text', version: 'integer', member_id: 'uuid', at: 'timestamptz', payload: 'jsonb' }

const withoutEvent = (text: string): string =>
  text
    .replace(/insert into "new_event" \([^)]*\) select/, 'select')
    .replace(/insert into "new_event" \(([^)]*)\) values \(([^)]*)\)/, (_, columns: string, values: string) => {
      const names = columns.split(', ').map((name) => name.slice(1, -1))
      const typed = values.split(', ').map((value, index) => `${value}::${TYPES[names[index] as keyof typeof TYPES]}`)
      return `select ${typed.join(', ')}` // nothing refers to it, so it isn't run
    })

Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    const [query, ...rest] = args as [string | pg.QueryConfig, ...unknown[]]
    const isText = typeof query === 'string'
    const text = isText ? query : query.text
    if (!text.includes('insert into "new_event"')) return originalQuery.apply(this, args)
    const changed = withoutEvent(text)
    return originalQuery.call(this, isText ? changed : { ...query, text: changed }, ...rest)
  },
})
