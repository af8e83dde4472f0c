import { plainDay, timeIn } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'

type Facts = Record<string, unknown>

/** 'price $99.00 → $109.00': only what an action changed, in words. */
export function changesOf(before: Facts = {}, after: Facts = {}, time_zone = 'UTC'): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
    .map((name) => {
      const [old, now] = [before, after].map((facts) => (name in facts ? showValue(name, facts[name], time_zone) : ''))
      return `${nameOf(name)} ${[old, now].filter(Boolean).join(' → ')}`
    })
}

/** 'is_offered' → 'offered', 'price_cents' → 'price' */
const nameOf = (name: string) =>
  name
    .replace(/^(?:is|has)_/, '')
    .replace(/_(?:cents|at|on)$/, '')
    .replaceAll('_', ' ')

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** A word of the program, such as 'on_hold'. */
const WORD = /^[a-z]+(?:_[a-z]+)+$/
const AMOUNT = /^\d+\.\d\d$/

function showValue(name: string, value: unknown, time_zone: string): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return name.endsWith('_cents') ? showAmount(toAmount(value)) : String(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (DAY.test(value)) return plainDay(value)
  if (TIME.test(value)) return timeIn(time_zone, new Date(value))
  if (AMOUNT.test(value)) return showAmount(value)
  return WORD.test(value) ? value.replaceAll('_', ' ') : value
}
