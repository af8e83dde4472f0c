import { setTimeout as wait } from 'node:timers/promises'
import { refusals } from '#server/abuse/limits.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { openHouse } from '../in-process-site/in-process-site.ts'
import { turnedClock } from '../in-process-site/virtual-clock.ts'
import { americanPhone, answersOf, cardNumber, honestAddress, thiefAddress } from '../test-data.ts'
import { gangOf } from './card-testers.ts'
import { type Fate, join, MISTYPED, type Person } from './legitimate-visitor.ts'

/** bankMs: a gateway is not next door; so long a stolen card is on its way. */
const LONG = { hours: 2, stolen: 20_000, addresses: 5_000, honest: 500, phones: 50, atOnce: 200, bankMs: 400 }
const SHORT = { hours: 1, stolen: 400, addresses: 100, honest: 30, phones: 10, atOnce: 50, bankMs: 50 }

const MOST_AT_GATEWAY = 200
/** What a confirmed phone may try in a day, by default. */
const MOST_BY_PHONE = 5
const MOST_UNTIL_OPEN = 100
const LEAST_THROUGH = 0.99

type Attack = { name: string; addresses: number; phones: number }

/** Stolen cards are tried for hours while honest people join. */
export async function stolenCards(drill: Scale, ground: Ground): Promise<Row[]> {
  const { addresses, phones } = drill.short ? SHORT : LONG
  const attacks: Attack[] = [
    { name: 'from one address', addresses: 1, phones: 0 },
    { name: `from ${addresses} addresses`, addresses, phones: 0 },
    { name: `from ${addresses} addresses, with ${phones} phones of their own`, addresses, phones },
  ]
  const rows: Row[] = []
  for (const attack of drill.short ? attacks.slice(0, 2) : attacks) rows.push(await stolen(drill, ground, attack))
  return rows
}

async function stolen(drill: Scale, ground: Ground, attack: Attack): Promise<Row> {
  const size = drill.short ? SHORT : LONG
  const cards = Array.from({ length: size.stolen }, (_, n) => cardNumber('51', n))
  const isStolen = new Set(cards)
  const count = { reached: 0, declines: 0, untilOpen: 0 }
  const clock = turnedClock()
  const place = await ground.fresh()
  const house = await openHouse(place, {
    now: clock.now,
    dress: ({ payment }) => ({ payment: watched(payment, isStolen, size.bankMs, count) }),
    hear: (line) => {
      if (line.includes('"breaker":"declines"')) count.untilOpen ||= count.declines
      else drill.say(`  ${line.slice(0, 300)}`)
    },
  })
  const before = new Map(refusals)
  const gang = gangOf(house, clock)
  const seconds = size.hours * 3600
  const bursts = Math.ceil(size.stolen / size.atOnce)
  const pause = Math.floor(seconds / bursts)
  let next = 0
  const nextCard = () => cards[next++]

  /** Everybody at once, and again, and again. */
  const attackers = async () => {
    for (let burst = 0; burst < bursts; burst++) {
      await clock.sleep(pause)
      const tries = Array.from({ length: size.atOnce }, (_, one) => (burst * size.atOnce + one) % attack.addresses)
      await Promise.all(
        tries.map(async (address) => {
          const card = nextCard()
          if (card) await gang.tryOut({ address: thiefAddress(address), card })
        }),
      )
      drill.progress(
        ground.name,
        `abuse · cards ${attack.name}: ${next} of ${size.stolen} tried, ${count.reached} reached the gateway, ${fates.length} of ${size.honest} honest visitors are done`,
      )
    }
  }
  const fates: (Fate & { person: Person })[] = []
  const people = crowdOf(size.honest, seconds, pause)
  await clock.live([
    attackers,
    ...Array.from({ length: attack.phones }, (_, n) => () => gang.withPhone(n, nextCard, seconds)),
    ...people.map((person) => async () => void fates.push({ ...(await join(house, clock, person)), person })),
  ])
  await house.close()
  await place.remove()

  const through = fates.filter(({ isThrough }) => isThrough).length
  const asked = fates.filter(({ wasAskedForCode }) => wasAskedForCode).length
  const longest = Math.max(...fates.map(({ waited }) => waited))
  for (const [end, times] of tally(
    fates.filter(({ isThrough }) => !isThrough).map(({ end }) => end.replace(/wait \d+/, 'wait …')),
  ))
    drill.say(`  ${times} honest visitors ended with: ${end}`)
  drill.say(`  refused, cards ${attack.name}: ${since(before)}`)
  const mostAtGateway = MOST_AT_GATEWAY + attack.phones * MOST_BY_PHONE
  return {
    done: `${Math.min(next, size.stolen)} stolen cards ${attack.name}, ${size.atOnce} at once, in ${size.hours} h; ${size.honest} honest visitors`,
    asked: `≤ ${mostAtGateway} at the gateway; at most ${MOST_UNTIL_OPEN} declines before the breaker opens; ≥ 99 % of the honest get through`,
    found: `${count.reached} at the gateway; ${breaker(count)}; ${through} honest through (${share(fates, isShared)} behind one address, ${share(fates, isManaged)} with a password manager), ${asked} asked for a code, ${longest} s the longest wait`,
    passed:
      count.reached <= mostAtGateway &&
      (count.untilOpen || count.declines) <= MOST_UNTIL_OPEN &&
      through >= size.honest * LEAST_THROUGH,
  }
}

type Count = { reached: number; declines: number; untilOpen: number }

/** One address is stopped by its own limit; the breaker is there for many. */
const breaker = ({ untilOpen, declines }: Count) =>
  untilOpen ? `breaker open after ${untilOpen} declines` : `${declines} declines in all, too few for the breaker`

/** The bank knows what is stolen. */
const watched = (payment: PaymentGateway, isStolen: Set<string>, bankMs: number, count: Count): PaymentGateway => ({
  ...payment,
  authorize: async (hold, signal) => {
    const { cc_number, cc_cvv } = hold.card
    if (!isStolen.has(cc_number) && cc_cvv !== MISTYPED) return payment.authorize(hold, signal)
    if (isStolen.has(cc_number)) {
      count.reached += 1
      await wait(bankMs)
    }
    count.declines += 1
    return { outcome: 'declined', decline_class: isStolen.has(cc_number) ? 'bank' : 'input' }
  },
})

const SHARED = honestAddress(9_999_999)
const MANAGER_SECONDS = 30
const isShared = ({ address }: Person) => address === SHARED
const isManaged = ({ fills }: Person) => fills < MANAGER_SECONDS

/** One in ten behind one address, one in ten mistypes, one in five has a password manager, one in five meets a burst. */
function crowdOf(size: number, seconds: number, burst: number): Person[] {
  return Array.from({ length: size }, (_, n) => {
    const managed = n % 5 === 1
    return {
      address: n % 10 === 3 ? SHARED : honestAddress(n),
      answers: answersOf(`guest${n}`, americanPhone(n), cardNumber('4539', n)),
      arrives: Math.floor((n * (seconds - 300)) / size),
      fills: managed ? 4 + (n % 20) : 60 + ((n * 37) % 180),
      lookups: managed ? 0 : 2,
      mistypes: n % 10 === 7,
      ...(n % 5 === 4 ? { meets: burst } : {}),
    }
  })
}

const share = (fates: (Fate & { person: Person })[], kind: (person: Person) => boolean) => {
  const all = fates.filter(({ person }) => kind(person))
  return `${all.filter(({ isThrough }) => isThrough).length} of ${all.length}`
}

const tally = (words: string[]): [string, number][] => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** How often each limit has said no since then. */
export const since = (before: Map<string, number>): string =>
  [...refusals]
    .map(([limit, times]) => [limit, times - (before.get(limit) ?? 0)] as const)
    .filter(([, times]) => times > 0)
    .map(([limit, times]) => `${limit} ${times}`)
    .join(', ') || 'nothing'
