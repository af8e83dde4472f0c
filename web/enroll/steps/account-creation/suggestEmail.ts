/** Where most people have their email. */
const domains =
  'gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com live.com msn.com comcast.net proton.me verizon.net'.split(
    ' ',
  )
/** Real domains that look like a typo of one of them. */
const lookAlikes = new Set([
  'mail.com',
  'ymail.com',
  'email.com',
  'gmx.com',
  'me.com',
  'mac.com',
  'aim.com',
  'love.com',
])

const MAX_MISTAKES = 2

/** 'zoe@gmial.con' → 'zoe@gmail.com'; undefined if the address looks right, or unlike anything we know. */
export function suggestEmail(email: string): string | undefined {
  const [, name, domain] = /^([^@\s]+)@([^@\s]+)$/.exec(email.trim().toLowerCase()) ?? []
  if (!name || !domain || domains.includes(domain) || lookAlikes.has(domain)) return undefined
  const close = domains.find((known) => distance(domain, known) <= Math.min(MAX_MISTAKES, known.length / 4))
  return close && `${name}@${close}`
}

/** How many letters are wrong, missing, added or swapped with the next one (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, isSwapped ? at(i - 2, j - 2) + 1 : changed))
    }
  }
  return at(a.length, b.length)
}
