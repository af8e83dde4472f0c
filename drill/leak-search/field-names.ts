/** A column, a key inside one, or a key of a log line, the ledger or the browser's storage. */
export type FieldName = { area: string; name: string; values: Set<string> }

/** Words that suggest card or password data. */
const SUSPICIOUS = /card|cc_|cvc|cvv|csc|\bpan\b|number|expir|month|year|pass|secret|track|code/i

/** Names that match but are harmless, the reason, and what their values must look like. */
const harmless: { name: RegExp; why: string; value: RegExp }[] = [
  { name: /(^|\.)password_hash$/, why: 'the Argon2id hash of the password', value: /^\$argon2id\$/ },
  { name: /(^|\.)expires_at$/, why: 'when a row may be deleted', value: /^\d{4}-\d\d-\d\dT/ },
  { name: /(^|\.)cvc_check$/, why: "the bank's answer about the CVC", value: /^(match|mismatch|unchecked)$/ },
  { name: /(^|\.)(post|ship_zip)_code$/, why: 'a part of an address', value: /^(\d{5}(-\d{4})?)?$/ },
  { name: /^sandbox_code\.code_hash$/, why: 'the keyed hash of a phone code', value: /^[\w-]{20,}$/ },
  { name: /(^|\.)err\.code$/, why: 'the code of an error', value: /^[A-Z0-9_]{4,}$/ },
  { name: /(^|\.)renewal_price$/, why: 'a price', value: /^\d+\.\d\d$/ },
  { name: /(^|\.)card[._]brand$/, why: 'the brand of a stored card', value: /^[a-z ]+$/i },
  { name: /(^|\.)card[._]last_four$/, why: 'its last four digits', value: /^\d{4}$/ },
  { name: /(^|\.)card_expires$/, why: 'the month in which it expires', value: /^\d{4}-\d\d$/ },
  { name: /(^|\.)issuer_code$/, why: "the bank's reason for a decline", value: /^\w{2}$/ },
  { name: /^commission_month\.month$/, why: 'the month of a commission plan', value: /^\d{4}-\d\d$/ },
  { name: /^test_card$/, why: 'the name of a test card of the sandbox', value: /^[a-z]+$/i },
  { name: /\.expires$/, why: 'when a cookie ends', value: /^-?\d+(\.\d+)?$/ },
  { name: /^expires$/, why: 'the month in which a card of the sandbox expires', value: /^\d{4}-\d\d$/ },
]

const MAX_VALUES = 50_000

/** Collects every name with its distinct values. */
export function createFieldIndex() {
  const names = new Map<string, FieldName>()
  const add = (area: string, name: string, value?: unknown) => {
    const entry = names.get(`${area} ${name}`) ?? { area, name, values: new Set() }
    names.set(`${area} ${name}`, entry)
    if (value !== undefined && value !== null && entry.values.size < MAX_VALUES) entry.values.add(String(value))
  }
  /** Adds all keys of a value at any depth, also those in JSON inside a string. */
  const addAll = (area: string, value: unknown, path = ''): void => {
    const content = typeof value === 'string' && /^[[{]/.test(value) ? parseJson(value) : value
    if (Array.isArray(content)) for (const item of content) addAll(area, item, path)
    else if (typeof content === 'object' && content !== null)
      for (const [key, item] of Object.entries(content)) addAll(area, item, path ? `${path}.${key}` : key)
    else add(area, path, content)
  }
  return { add, addAll, all: () => [...names.values()] }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Names that are suspicious and not on the list, or whose values do not match the list. */
export const suspiciousFields = (names: FieldName[]): string[] =>
  names
    .filter(({ area, name }) => SUSPICIOUS.test(area === 'columns' ? name.slice(name.indexOf('.')) : name))
    .flatMap(({ area, name, values }) => {
      const rule = harmless.find((entry) => entry.name.test(name))
      if (!rule) return [`${area}: ${name} sounds like a card or a password`]
      const mismatches = [...values].filter((value) => !rule.value.test(value)).length
      return mismatches ? [`${area}: ${name} should be ${rule.why}, but ${mismatches} of its values are not`] : []
    })

/** All names on a few lines, grouped by area and table. */
export function listFields(names: FieldName[]): string[] {
  const groups = new Map<string, string[]>()
  for (const { area, name } of names) {
    const [group = '', ...rest] = area === 'columns' ? name.split('.') : [area, name]
    groups.set(group, [...(groups.get(group) ?? []), rest.join('.')])
  }
  return [...groups].map(([group, names]) => `${group}: ${names.sort().join(' ')}`)
}
