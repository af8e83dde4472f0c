import type { CompiledQuery, QueryResult } from 'kysely'
import type { NamedQuery } from './batching-driver.ts'
import type { Db } from './db.ts'

/**
 * Of each statement so many texts are kept, and none with more values: a visitor who sends ever longer lists fills no
 * memory, neither here nor in the database, which keeps a plan of each for every connection.
 */
const MOST_TEXTS = 30
const MOST_VALUES = 200

type Write<Values, Row> = (db: Db, values: Values) => { compile: (db: Db) => CompiledQuery<Row> }

/**
 * A statement that everybody needs, so that it is built once, read once by each connection, and then only filled in.
 * `write` gets blanks in place of the values: how many there are and what they are called may make a difference to its text,
 * what they are may not. The plan is made for any values too: what it takes to use a partial index stands in the text.
 */
export function statement<Values extends object, Row>(write: Write<Values, Row>) {
  const known = new Map<string, NamedQuery<CompiledQuery<Row>>>()
  return async (db: Db, values: Values): Promise<QueryResult<Row>> => {
    const filling: unknown[] = []
    const shape = shapeOf(values, filling)
    let query = known.get(shape)
    if (!query) {
      const isKept = known.size < MOST_TEXTS && filling.length <= MOST_VALUES
      query = { ...build(write, db, values), ...(isKept && { name: newName() }) }
      if (isKept) known.set(shape, query)
    }
    const parameters = query.parameters.map((part) => (part instanceof Blank ? filling[part.place] : part))
    return db.executeQuery({ ...query, parameters })
  }
}

let names = 0
const newName = () => `foyer ${++names}`

function build<Values, Row>(write: Write<Values, Row>, db: Db, values: Values): CompiledQuery<Row> {
  const query = write(db, inBlank(values)).compile(db)
  const isHolding = (part: unknown) => Array.isArray(part) || isObject(part)
  if (query.parameters.some(isHolding)) throw new Error('Lists and objects are filled in value by value.')
  return query
}

/** Stands for the value at this place. Nothing can be made of it but a parameter. */
class Blank {
  readonly place: number
  constructor(place: number) {
    this.place = place
  }
  toJSON = refuseBlank;
  [Symbol.toPrimitive] = refuseBlank
}
function refuseBlank(): never {
  throw new Error('A value is filled in later: nothing can be made of it here.')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The names and numbers of things in it. The values themselves are laid aside, in the same order. */
function shapeOf(value: unknown, aside: unknown[]): string {
  if (Array.isArray(value)) return `[${value.map((one) => shapeOf(one, aside))}]`
  if (isObject(value)) return `{${Object.entries(value).map(([name, one]) => `${name}${shapeOf(one, aside)}`)}}`
  aside.push(value)
  return isNothing(value) ? String(value) : '$'
}

/** What is not there stays as it is: the text may depend on it. */
const isNothing = (value: unknown) => value === undefined || value === null

/** The same with a blank for each value. */
function inBlank<Values>(values: Values): Values {
  let place = 0
  const blank = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(blank)
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blank(one)]))
    const here = place++
    return isNothing(value) ? value : new Blank(here)
  }
  return blank(values) as Values
}
