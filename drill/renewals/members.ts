import { seededRandom } from '../seeded-random.ts'
import { monthsLater, yearBefore } from './calendar.ts'

export const MEMBERSHIP = 34
export const PARCEL = 41
export const YEARLY = 37

export type Line = { product_id: number; name: string; renewal_cents: number }

/** Cards that members put on file, and what their bank says to every charge. A refused one is declined before it's on file. */
export const newCards = {
  'new card': { number: '4111111111111111', answer: 'captured' },
  'poor card': { number: '4000000000002511', answer: '51' },
  'stolen card': { number: '4000000000001430', answer: '43' },
  'refused card': { number: '4000000000000002', answer: 'refused' },
} as const
export type NewCard = keyof typeof newCards

export type ActionKind =
  | ('cancel' | 'resume' | 'come back' | 'drop' | NewCard)
  | ('dispute' | 'hold' | 'lift hold' | 'move' | 'waive' | 'refund' | 'refund part')
/** What a member, their bank or the staff do in the evening of a day of a period. */
export type Action = { kind: ActionKind; period: number; day: number }

/** A member, and everything that will happen to them. */
export type Plan = {
  number: number
  email: string
  /** For reports. */
  fate: string
  joinedOn: string
  joinedAt: string
  /** Of a period: 1, or 12 if the membership renews every year. */
  months: number
  lines: Line[]
  /** What the bank answers to the first charges of a period; the next one is approved. */
  declines: ReadonlyMap<number, { code: string; times: number }>
  actions: Action[]
  /** Where staff move the renewal day. */
  moveTo: number
  /** Done at the same moment as the charge of a period. */
  race?: { kind: RaceKind; period: number }
}
export type RaceKind = 'cancel' | 'cancel and resume' | 'new card'

type Fate = Pick<Plan, 'race'> & { declines?: [period: number, code: string, times: number]; actions?: Action[] }
const at = (period: number, day: number, kind: ActionKind): Action => ({ kind, period, day })

/** Assigned in turn, so that every one meets every day of the month. The rest only have a decline now and then. */
const fates: Fate[] = [
  {},
  { declines: [2, '51', 1] },
  { declines: [1, '05', 2] },
  { declines: [3, '51', 3] },
  { declines: [2, '51', 4], actions: [at(3, 5, 'come back')] },
  { declines: [1, '43', 1], actions: [at(2, 1, 'come back'), at(2, 3, 'new card'), at(2, 4, 'come back')] },
  { declines: [1, '43', 1], actions: [at(1, 5, 'new card')] },
  { actions: [at(2, 10, 'cancel'), at(3, 8, 'come back')] },
  { actions: [at(1, 4, 'cancel'), at(1, 8, 'resume')] },
  { actions: [at(2, 6, 'dispute')] },
  { actions: [at(2, 6, 'dispute'), at(3, 25, 'lift hold')] },
  { actions: [at(2, 6, 'dispute'), at(2, 8, 'cancel')] },
  { actions: [at(2, 9, 'drop')] },
  { race: { kind: 'cancel', period: 2 } },
  { declines: [2, '51', 4], actions: [at(2, 1, 'cancel')] },
  { race: { kind: 'cancel and resume', period: 2 } },
  { declines: [2, 'R1', 1], actions: [at(2, 2, 'cancel')] },
  { declines: [3, '41', 1] },
  { declines: [2, '51', 2], actions: [at(2, 1, 'drop'), at(2, 2, 'new card')] },
  { declines: [1, '51', 1], actions: [at(1, 2, 'drop')] },
  { actions: [at(0, 12, 'poor card'), at(1, 5, 'refused card'), at(1, 9, 'new card')] },
  { actions: [at(1, 3, 'stolen card'), at(2, 4, 'poor card'), at(2, 6, 'stolen card'), at(2, 11, 'new card')] },
  { declines: [2, '51', 1], race: { kind: 'new card', period: 2 } },
  { declines: [1, '51', 3], actions: [at(1, 1, 'poor card'), at(1, 2, 'poor card'), at(1, 4, 'poor card')] },
  { actions: [at(1, 5, 'hold'), at(1, 12, 'lift hold'), at(2, 15, 'hold'), at(3, 3, 'lift hold')] },
  { declines: [1, '51', 4], actions: [at(1, 4, 'hold'), at(1, 9, 'lift hold')] },
  { declines: [1, '05', 4], actions: [at(1, 1, 'hold'), at(1, 20, 'lift hold')] },
  { actions: [at(1, 5, 'move'), at(2, 8, 'waive')] },
  { actions: [at(0, 9, 'move'), at(2, 3, 'refund part'), at(2, 20, 'refund')] },
  { declines: [2, '51', 2], actions: [at(2, 1, 'move'), at(2, 2, 'waive'), at(3, 4, 'refund')] },
  { actions: [at(1, 2, 'hold'), at(1, 4, 'cancel'), at(1, 6, 'resume'), at(1, 10, 'lift hold')] },
  {
    actions: [
      at(1, 6, 'cancel'),
      at(2, 3, 'poor card'),
      at(2, 5, 'come back'),
      at(2, 7, 'new card'),
      at(2, 9, 'come back'),
    ],
  },
  { actions: [at(1, 6, 'waive'), at(1, 8, 'cancel'), at(1, 9, 'resume'), at(2, 6, 'drop')] },
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

type Population = {
  count: number
  joinDays: string[]
  periods: number
  seed: number
  fates: { from: number; step: number; times: number }
}

export function planMembers({ count, joinDays, periods, seed, fates: { from, step, times } }: Population): Plan[] {
  return Array.from({ length: count }, (_, number) => {
    const random = seededRandom(seed, number)
    const line = (product_id: number, name: string): Line => ({
      product_id,
      name,
      renewal_cents: anyPrice.least + random.below(anyPrice.below),
    })
    const day = joinDays[(number * 7) % joinDays.length] ?? ''
    const person = {
      number,
      email: `m${number}@mail.example`,
      joinedAt: joinTimes[number % joinTimes.length] ?? '',
      moveTo: 1 + ((number * 5) % 31),
    }
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
    const monthly = number - Math.floor((number + 5) / 11)
    const plan = planned(fates[(from + step * Math.floor(monthly / times)) % fates.length])
    for (let period = CHANCE_FROM; period <= periods; period++)
      if (random.chance(CHANCE))
        plan.declines.set(period, { code: random.pick(['51', '05', '54']), times: 1 + random.below(3) })
    const hasParcel = number % 2 === 1 || plan.actions.some(({ kind }) => kind === 'drop')
    const lines = [line(MEMBERSHIP, 'Membership'), ...(hasParcel ? [line(PARCEL, 'Care package')] : [])]
    return { ...person, joinedOn: day, months: 1, lines, ...plan }
  })
}

function planned({ declines, actions = [], race }: Fate = {}) {
  const script = new Map<number, { code: string; times: number }>()
  if (declines) script.set(declines[0], { code: declines[1], times: declines[2] })
  const parts = [
    ...(declines ? [`declined ${declines[1]} × ${declines[2]} in period ${declines[0]}`] : []),
    ...actions.map(({ kind, period, day }) => `${kind} on day ${day} of period ${period}`),
    ...(race ? [`${race.kind} at the charge of period ${race.period}`] : []),
  ]
  return { fate: parts.join(', ') || 'nothing special', declines: script, actions, ...(race ? { race } : {}) }
}
