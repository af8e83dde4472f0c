type Schema = Record<string, unknown>
type SchemaField = { name: string; type: string; rule: string; required: boolean }

/** The fields of a JSON Schema, or of the objects in its list. Nested fields follow their parent. */
export function fieldsOf(schema: Schema | undefined, path = ''): SchemaField[] {
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

/** A readable type: 'string', 'list of string', '“Yes” or “No”'. */
export function typeOf(schema: Schema): string {
  if ('const' in schema) return quote(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(quote).join(' or ')
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return choices.map((choice: Schema) => typeOf(choice)).join(' or ')
  const items = itemsOf(schema)
  if (items) return `list of ${typeOf(items)}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return typeof schema.type === 'string' ? schema.type : 'anything'
}

const quote = (value: unknown) => (typeof value === 'string' ? `“${value}”` : String(value))

const ruleDescriptions: [key: string, format: (value: unknown) => string][] = [
  ['minLength', (length) => `at least ${length} characters`],
  ['maxLength', (length) => `at most ${length} characters`],
  ['minimum', (least) => (least === Number.MIN_SAFE_INTEGER ? '' : `at least ${least}`)],
  ['default', (value) => (value === '' ? '' : `${quote(value)} if left out`)],
]

/** Patterns are left out: the messages say the same in words. */
const ruleOf = (schema: Schema) =>
  ruleDescriptions
    .filter(([key]) => key in schema)
    .map(([key, format]) => format(schema[key]))
    .filter(Boolean)
    .join(', ')
