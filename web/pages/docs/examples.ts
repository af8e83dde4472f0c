import type { DocumentedCall } from '#contract/pages.ts'

/** A value for each field that the examples send or show. */
const values: Record<string, unknown> = {
  product_category_id: 17,
  language_id: 1,
  product_ids: '34',
  autoship_product_ids: '',
  special_product_ids: '',
  sponsor_site: 'ana',
  sponsor_site_name: 'ana',
  site: 'ana',
  name: 'zoe',
  username: 'zoe',
  first_name: 'Zoë',
  last_name: 'Ruiz',
  email: 'zoe@mail.example',
  password: 'Open-Sesame-7',
  mobile_phone: '+12025550123',
  phone_number: '+12025550123',
  cellphone: '+12025550123',
  code: '123456',
  address: '1600 Main St',
  city: 'Reno',
  country: 'US',
  state: 'NV',
  post_code: '89501',
  agreement_1: '1',
  agreement_2: '1',
  captcha: 'eyJhbGdvcml0aG0…',
  current_password: 'Open-Sesame-7',
  cc_number: '4242424242424242',
  cc_month: '12',
  cc_year: '2030',
  cc_cvv: '123',
  token: 'eyJhbGciOiJFUzI1NiJ9…',
  sha256: 'a1'.repeat(32),
  grand_total: '99.00',
  price: '99.00',
  renewal_price: '99.00',
  total: '99.00',
  id: 'b3c1f0de-5a52-4c8e-9d3b-7f1a2c4e6d80',
  credential_id: 'k9Zq3TkP0vXwA7rB',
  sealed: 'data.1.q8Zx…',
  response: { id: 'k9Zq3TkP0vXwA7rB', type: 'public-key' },
  shown_price: '99.00',
  join_emails: true,
  renewal_emails: true,
  picture: '/9j/4AAQSkZJRg==',
  vo_url: 'https://join.example/office',
  image_url: '/assets/packages/34.svg',
  product_id: 34,
  display_on_checkout: ['enrollment_page_checkout'],
  message: 'Please check the marked fields.',
  suggestions: ['zoe2'],
}

type Schema = Record<string, unknown>

/** The input of an example: what is required, or else everything that has an example. */
export function exampleInput({ input }: Pick<DocumentedCall, 'input'>): Record<string, unknown> {
  const properties = Object.keys((input.properties ?? {}) as Schema).filter((name) => name in values)
  const required = Array.isArray(input.required) ? input.required : []
  const names = required.length ? properties.filter((name) => required.includes(name)) : properties
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

/** The command that makes the call from a terminal. */
export function curlOf(call: DocumentedCall, base_url: string): string {
  const input = exampleInput(call)
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(input[name])
    delete input[name]
    return value
  })
  const query = new URLSearchParams(input as Record<string, string>).toString()
  const isGet = call.method === 'GET'
  return [
    `curl '${base_url}${path}${isGet && query ? `?${query}` : ''}'`,
    ...(call.takesIdempotencyKey ? [`  -H 'idempotency-key: 5f0c1e9a-7c1d-4b7e-9a51-0d6f0b8f2c11.1'`] : []),
    ...(isGet ? [] : [`  -H 'content-type: application/json'`, `  -d '${JSON.stringify(input)}'`]),
  ].join(' \\\n')
}

/** An answer that fits its JSON Schema. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return exampleOf(choices[0], name)
  if (name in values && fits(schema, values[name])) return values[name]
  if (schema.type === 'array') return [exampleOf((schema.items ?? {}) as Schema)]
  if (schema.type === 'object') return exampleObject(schema)
  return examplesByType[String(schema.type)] ?? null
}

/** Two calls may have a field of the same name that holds something else. */
const fits = ({ type }: Schema, value: unknown) => type !== 'object' && (type === 'integer') === Number.isInteger(value)

/** Without what is optional: it would not always fit the rest. */
function exampleObject({ properties = {}, required = [] }: Schema) {
  const names = Object.entries(properties as Record<string, Schema>).filter(([key]) =>
    (required as string[]).includes(key),
  )
  return Object.fromEntries(names.map(([key, inner]) => [key, exampleOf(inner, key)]))
}

const examplesByType: Record<string, unknown> = { string: '…', integer: 1, number: 1, boolean: true }
