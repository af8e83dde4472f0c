import { seededRandom } from '../seeded-random.ts'
import { monthsLater, yearBefore } from './calendar.ts'

export const MEMBERSHIP = 34
export const PARCEL = 41
export const YEARLY = 37

export type Line = { product_id: number; name: string; renewal_cents: number }
type ActionKind = 'cancel' | 'resume' | 'dispute' | 'lift hold' | 'drop' | 'new card'
/** What a member, their bank or the staff do in the evening of a day of a period. */
export type Action = { kind: ActionKind; period: number; day: number }

/** A member, and everything that will happen to them. */
export type Plan = {
  number: number
  email: string
  joinedOn: string
  joinedAt: string
  /** Of a period: 1, or 12 if the membership renews every year. */
  months: number
  lines: Line[]
  /** What the bank answers to the first charges of a period; the next one is approved. */
  declines: ReadonlyMap<number, { code: string; times: number }>
  actions: Action[]
  /** Done at the same moment as the charge of a period. */
  race?: { kind: 'cancel' | 'cancel and resume'; period: number }
}

type Fate = Pick<Plan, 'race'> & { declines?: [period: number, code: string, times: number]; actions?: Action[] }
const at = (period: number, day: number, kind: ActionKind): Action => ({ kind, period, day })

/** Assigned in turn, so that every one meets every day of the month. The rest only have a decline now and then. */
const fates: Fate[] = [
  {},
  { declines: [2, '51', 1] },
  { declines: [1, '05', 2] },
  { declines: [3, '51', 3] },
  { declines: [2, '51', 4] },
  { declines: [1, '43', 1] },
  { declines: [1, '43', 1], actions: [at(1, 5, 'new card')] },
  { actions: [at(2, 10, 'cancel')] },
  { actions: [at(1, 4, 'cancel'), at(1, 8, 'resume')] },
  { actions: [at(2, 6, 'dispute')] },
  { actions: [at(2, 6, 'dispute'), at(4, 10, 'lift hold')] },
  { actions: [at(2, 6, 'dispute'), at(2, 8, 'cancel')] },
  { actions: [at(2, 9, 'drop')] },
  { race: { kind: 'cancel', period: 2 } },
  { declines: [2, '51', 4], actions: [at(2, 1, 'cancel')] },
  { race: { kind: 'cancel and resume', period: 2 } },
  { declines: [2, 'R1', 1], actions: [at(2, 2, 'cancel')] },
  { declines: [3, '41', 1] },
  { declines: [2, '51', 2], actions: [at(2, 1, 'drop'), at(2, 2, 'new card')] },
  { declines: [1, '51', 1], actions: [at(1, 2, 'drop')] },
  {},
]

/** Those of memberships that renew every year. */
const yearlyFates: Fate[] = [
  {},
  { declines: [1, '51', 2] },
  { declines: [1, '43', 1], actions: [at(1, 5, 'new card')] },
  { actions: [at(1, 6, 'dispute')] },
  { race: { kind: 'cancel', period: 1 } },
]
const isYearly = (number: number) => number % 11 === 5

const joinTimes = ['23:30:00', '00:10:00', '09:00:00', '23:59:59', '12:00:00']
/** From this period on, every member has a decline now and then. */
const CHANCE_FROM = 4
const CHANCE = 0.05

/** Prices lie below and above those that the operator sets during the year, so that some members pay more and some less. */
const anyPrice = { least: 1000, below: 20_000 }

export function planMembers(count: number, joinDays: string[], periods: number, seed: number): Plan[] {
  return Array.from({ length: count }, (_, number) => {
    const random = seededRandom(seed, number)
    const line = (product_id: number, name: string): Line => ({
      product_id,
      name,
      renewal_cents: anyPrice.least + random.below(anyPrice.below),
    })
    const day = joinDays[(number * 7) % joinDays.length] ?? ''
    const person = { number, email: `m${number}@mail.example`, joinedAt: joinTimes[number % joinTimes.length] ?? '' }
    if (isYearly(number)) {
      const turn = Math.floor(number / 11)
      // Half of them have joined ten or nine months ago, so that their year ends soon.
      const joinedOn = turn % 2 ? monthsLater(yearBefore(day), turn % 4 === 1 ? 2 : 3) : day
      return {
        ...person,
        joinedOn,
        months: 12,
        lines: [line(YEARLY, 'Yearly membership')],
        ...planned(yearlyFates[turn % yearlyFates.length]),
      }
    }
    const plan = planned(fates[Math.floor(number / 3) % fates.length])
    for (let period = CHANCE_FROM; period <= periods; period++)
      if (random.chance(CHANCE))
        plan.declines.set(period, { code: random.pick(['51', '05', '54']), times: 1 + random.below(3) })
    const lines = [line(MEMBERSHIP, 'Membership'), ...(number % 2 ? [line(PARCEL, 'Care package')] : [])]
    return { ...person, joinedOn: day, months: 1, lines, ...plan }
  })
}

function planned({ declines, actions = [], race }: Fate = {}) {
  const script = new Map<number, { code: string; times: number }>()
  if (declines) script.set(declines[0], { code: declines[1], times: declines[2] })
  return { declines: script, actions, ...(race ? { race } : {}) }
}
