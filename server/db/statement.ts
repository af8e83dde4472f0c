import type { CompiledQuery, QueryResult } from 'kysely'
import type { NamedQuery } from './batching-driver.ts'
import type { Db } from './db.ts'

/** Bounds the cache here and the plans in the database, in case a visitor sends ever longer lists. */
const MAX_CACHED_QUERIES = 30
const MAX_CACHED_PARAMETERS = 200

type Build<Values, Row> = (db: Db, values: Values) => { compile: (db: Db) => CompiledQuery<Row> }

/**
 * A prepared statement: it is built once for each shape of its values and then only run with other parameters.
 * `build` gets placeholders instead of values, so its SQL may depend on which values there are, but not on what they are.
 * PostgreSQL plans it for any parameters, so the condition of a partial index has to be a literal.
 */
export function statement<Values extends object, Row>(build: Build<Values, Row>) {
  const cache = new Map<string, NamedQuery<CompiledQuery<Row>>>()
  return async (db: Db, values: Values): Promise<QueryResult<Row>> => {
    const flatValues: unknown[] = []
    const shape = shapeOf(values, flatValues)
    let query = cache.get(shape)
    if (!query) {
      const isCacheable = cache.size < MAX_CACHED_QUERIES && flatValues.length <= MAX_CACHED_PARAMETERS
      query = { ...compile(build, db, values), ...(isCacheable && { name: nextName() }) }
      if (isCacheable) cache.set(shape, query)
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? flatValues[parameter.index] : parameter,
    )
    return db.executeQuery({ ...query, parameters })
  }
}

let nameCount = 0
const nextName = () => `foyer ${++nameCount}`

function compile<Values, Row>(build: Build<Values, Row>, db: Db, values: Values): CompiledQuery<Row> {
  const query = build(db, withPlaceholders(values)).compile(db)
  const mayHoldPlaceholders = (parameter: unknown) => Array.isArray(parameter) || isObject(parameter)
  if (query.parameters.some(mayHoldPlaceholders))
    throw new Error('A prepared statement cannot take a list or an object as one parameter.')
  return query
}

/** Can only be used as a parameter: anything computed from it would be wrong for the next values. */
class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
  toJSON = refuseComputation;
  [Symbol.toPrimitive] = refuseComputation
}
function refuseComputation(): never {
  throw new Error('A prepared statement cannot compute with its parameters in JavaScript.')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Property names and list lengths, without the values. Those are appended to `flatValues`, in the order of withPlaceholders. */
function shapeOf(value: unknown, flatValues: unknown[]): string {
  if (Array.isArray(value)) return `[${value.map((entry) => shapeOf(entry, flatValues))}]`
  if (isObject(value))
    return `{${Object.entries(value).map(([name, entry]) => `${name}${shapeOf(entry, flatValues)}`)}}`
  flatValues.push(value)
  return isMissing(value) ? String(value) : '$'
}

/** The SQL may depend on whether a value is missing, so it is a part of the shape and gets no placeholder. */
const isMissing = (value: unknown) => value === undefined || value === null

function withPlaceholders<Values>(values: Values): Values {
  let count = 0
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, replace(entry)]))
    const index = count++
    return isMissing(value) ? value : new Placeholder(index)
  }
  return replace(values) as Values
}
