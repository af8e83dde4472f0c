// What /api/v1 promises, line by line, and whether today's calls still keep it.
import * as z from 'zod/mini'

/** One line for each fact that a caller may build on. */
export function promiseOf(calls) {
  return Object.values(calls).flatMap(({ method, path, scope, params, query, body, output }) => {
    const call = `${method} ${path}`
    const input = (part, schema) => (schema ? linesOf(`${call} ${part} `, jsonOf(schema, 'input')) : [])
    return [
      `${call} needs ${scope}`,
      ...input('in', params),
      ...input('in', query),
      ...input('in', body),
      ...linesOf(`${call} out `, jsonOf(output, 'output')),
    ]
  })
}

const jsonOf = (schema, io) => z.toJSONSchema(schema, { io })

/** A field with `?` may be absent. */
function linesOf(name, schema) {
  if (schema.anyOf) {
    const kinds = schema.anyOf.filter(({ type }) => type !== 'null')
    const nullable = kinds.length < schema.anyOf.length ? [`${trimmed(name)} may be null`] : []
    return [...nullable, ...kinds.flatMap((kind) => linesOf(name, kind))]
  }
  if (schema.type === 'object' && schema.properties)
    return Object.entries(schema.properties).flatMap(([field, property]) => {
      const isOptional = !schema.required?.includes(field)
      const dot = /[\s]$/.test(name) ? '' : '.'
      return linesOf(`${name}${dot}${field}${isOptional ? '?' : ''}`, property)
    })
  if (schema.type === 'array') return linesOf(`${name}[]`, schema.items)
  const values = schema.enum ?? ('const' in schema ? [schema.const] : [])
  return [
    `${name}: ${schema.format ?? schema.type ?? 'anything'}`,
    ...values.map((value) => `${name} = ${value}`),
    ...(schema.pattern && !schema.format ? [`${name} matches ${schema.pattern}`] : []),
    ...bounds
      .filter(([key]) => key in schema && Math.abs(schema[key]) < Number.MAX_SAFE_INTEGER)
      .map(([key, sign]) => `${name} ${sign} ${schema[key]}`),
  ]
}

const trimmed = (text) => text.trimEnd()

const bounds = [
  ['minimum', '>='],
  ['maximum', '<='],
  ['minLength', 'length >='],
  ['maxLength', 'length <='],
]

const isInput = (line) => / in \S/.test(line)
const isOutput = (line) => / out \S/.test(line)
const callOf = (line) => line.split(' ').slice(0, 2).join(' ')
const fieldOf = (line) => /^\S+ \S+ (?:in|out) ([^ :?]+)/.exec(line)?.[1]
const required = (line) => line.replaceAll('?', '')

/** A sentence for each line that no longer holds. What is added breaks nothing, unless callers must send it. */
export function brokenPromises(promised, today) {
  const now = new Set(today)
  const gone = promised.filter((line) => !now.has(line) && !isWider(line, today))
  const calls = new Set(promised.map(callOf))
  const fields = new Set(promised.filter(isInput).map((line) => `${callOf(line)} ${fieldOf(line)}`))
  const known = new Set(promised.map(required))
  const stricter = today.filter((line) => {
    if (!isInput(line) || known.has(required(line)) || !calls.has(callOf(line))) return false
    const isKnownField = fields.has(`${callOf(line)} ${fieldOf(line)}`)
    const isRule = / (?:matches|>=|<=|length) /.test(line)
    const isFirstValue = line.includes(' = ') && !promised.some((old) => old.startsWith(`${line.split(' = ')[0]} = `))
    if (isKnownField) return isFirstValue || (isRule && !promised.some((old) => isWider(old, [line])))
    return line.includes(': ') && !line.includes('?')
  })
  const looser = today.filter((line) => isOutput(line) && !known.has(required(line)) && isOtherKind(line, [...known]))
  return [
    ...gone.map((line) => `gone: ${line}`),
    ...stricter.map((line) => `stricter: ${line}`),
    ...looser.map((line) => `looser: ${line}`),
  ]
}

/** Callers didn't expect a null, or a second type, where there was one type of value. */
function isOtherKind(line, known) {
  const [, field] = /^(\S+ \S+ out [^ :]+)(?: may be null$|: )/.exec(required(line)) ?? []
  return known.some((old) => field && [' ', ':', '.', '['].some((next) => old.startsWith(field + next)))
}

/** A bound may widen; an output may become required, an input optional. */
function isWider(line, today) {
  const [, start, sign, value] = /^(.*?)(>=|<=) (-?\d+)$/.exec(line) ?? []
  if (sign)
    return today.some((other) => {
      if (!other.startsWith(`${start}${sign} `)) return false
      const moved = Number(other.slice(start.length + 3)) - Number(value)
      return sign === '<=' ? moved >= 0 : moved <= 0
    })
  return today.some(
    (other) =>
      required(other) === required(line) &&
      (isInput(line)
        ? other.split('?').length >= line.split('?').length
        : other.split('?').length <= line.split('?').length),
  )
}
