type Schema = Record<string, unknown>
type Field = { name: string; type: string; rule: string; required: boolean }

/** The fields of a JSON Schema's object, or of the objects in its list; those of inner objects follow theirs. */
export function fieldsOf(schema: Schema | undefined, path = ''): Field[] {
  const object = itemsOf(schema) ?? schema
  const required = Array.isArray(object?.required) ? object.required : []
  return Object.entries((object?.properties ?? {}) as Record<string, Schema>).flatMap(([key, inner]) => {
    const name = path + key
    return [
      { name, type: typeOf(inner), rule: ruleOf(inner), required: required.includes(key) },
      ...fieldsOf(inner, itemsOf(inner) ? `${name}[].` : `${name}.`),
    ]
  })
}

const itemsOf = (schema: Schema | undefined) => (schema?.type === 'array' ? (schema.items as Schema) : undefined)

/** A type in a few words: 'string', 'list of string', '“Yes” or “No”'. */
export function typeOf(schema: Schema): string {
  if ('const' in schema) return quoted(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(quoted).join(' or ')
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return choices.map((choice: Schema) => typeOf(choice)).join(' or ')
  const items = itemsOf(schema)
  if (items) return `list of ${typeOf(items)}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return typeof schema.type === 'string' ? schema.type : 'anything'
}

const quoted = (value: unknown) => (typeof value === 'string' ? `“${value}”` : String(value))

const rules: [key: string, say: (value: unknown) => string][] = [
  ['minLength', (length) => `at least ${length} characters`],
  ['maxLength', (length) => `at most ${length} characters`],
  ['pattern', (pattern) => String(pattern)],
  ['format', (format) => String(format)],
  ['default', (value) => `default ${quoted(value)}`],
]

const ruleOf = (schema: Schema) =>
  rules
    .filter(([key]) => key in schema)
    .map(([key, say]) => say(schema[key]))
    .join(', ')
