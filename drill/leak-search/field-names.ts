/** Where a value lies: a column, a key inside one, a key of a log line, of the ledger or of the browser's storage. */
export type Name = { place: string; name: string; values: Set<string> }

/** Words that the name of something secret has. */
const SECRET = /card|cc_|cvc|cvv|csc|\bpan\b|number|expir|month|year|pass|secret|track|code/i

/** The names that sound like it and are not, why, and what their values must look like. */
const harmless: { name: RegExp; why: string; value: RegExp }[] = [
  { name: /(^|\.)password_hash$/, why: 'Argon2id of the password', value: /^\$argon2id\$/ },
  { name: /(^|\.)expires_at$/, why: 'when a row may go', value: /^\d{4}-\d\d-\d\dT/ },
  { name: /(^|\.)cvc_check$/, why: 'what the bank said of it', value: /^(match|mismatch|unchecked)$/ },
  { name: /(^|\.)(post|ship_zip)_code$/, why: 'part of an address', value: /^(\d{5}(-\d{4})?)?$/ },
  { name: /^sandbox_code\.code_hash$/, why: 'keyed hash of a phone code', value: /^[\w-]{20,}$/ },
  { name: /(^|\.)err\.code$/, why: 'the code of an error', value: /^[A-Z0-9_]{4,}$/ },
  { name: /\.expires$/, why: 'when a cookie ends', value: /^-?\d+(\.\d+)?$/ },
]

const MANY = 50_000

/** Collects every name with the distinct values it has. */
export function nameBook() {
  const names = new Map<string, Name>()
  const note = (place: string, name: string, value?: unknown) => {
    const known = names.get(`${place} ${name}`) ?? { place, name, values: new Set() }
    names.set(`${place} ${name}`, known)
    if (value !== undefined && value !== null && known.values.size < MANY) known.values.add(String(value))
  }
  /** Every key of a value, however deep; JSON inside a text counts as more of it. */
  const noteAll = (place: string, value: unknown, path = ''): void => {
    const found = typeof value === 'string' && /^[[{]/.test(value) ? parsed(value) : value
    if (Array.isArray(found)) for (const item of found) noteAll(place, item, path)
    else if (typeof found === 'object' && found !== null)
      for (const [key, item] of Object.entries(found)) noteAll(place, item, path ? `${path}.${key}` : key)
    else note(place, path, found)
  }
  return { note, noteAll, all: () => [...names.values()] }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Those that sound secret without being on the list, or hold something else than the list says. */
export const suspicious = (names: Name[]): string[] =>
  names
    .filter(({ place, name }) => SECRET.test(place === 'columns' ? name.slice(name.indexOf('.')) : name))
    .flatMap(({ place, name, values }) => {
      const known = harmless.find((entry) => entry.name.test(name))
      if (!known) return [`${place}: ${name} sounds like a card or a password`]
      const odd = [...values].filter((value) => !known.value.test(value)).length
      return odd ? [`${place}: ${name} is to be ${known.why}, and ${odd} of its values are not`] : []
    })

/** All names on a few lines, by place and table. */
export function listed(names: Name[]): string[] {
  const groups = new Map<string, string[]>()
  for (const { place, name } of names) {
    const [group = '', ...rest] = place === 'columns' ? name.split('.') : [place, name]
    groups.set(group, [...(groups.get(group) ?? []), rest.join('.')])
  }
  return [...groups].map(([group, names]) => `${group}: ${names.sort().join(' ')}`)
}
