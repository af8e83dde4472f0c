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

/** How many letters are wrong, missing, added or swapped with the next one. */
function distance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i])
  const at = (i: number, j: number) => rows[i]?.[j] ?? j + i
  for (let i = 0; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const row = rows[i] ?? []
      if (i === 0) {
        row[j] = j
        continue
      }
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  return at(a.length, b.length)
}
