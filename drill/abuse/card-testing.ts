import { setTimeout as wait } from 'node:timers/promises'
import { refusals } from '#server/abuse/limits.ts'
import type { PaymentGateway } from '#server/gateways/payment/port.ts'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { openInProcessSite } from '../in-process-site/in-process-site.ts'
import { createVirtualClock } from '../in-process-site/virtual-clock.ts'
import type { Backend } from '../site/backends.ts'
import { americanPhone, attackerAddress, cardNumber, formAnswers, visitorAddress } from '../test-data.ts'
import { createCardTesters } from './card-testers.ts'
import { enroll, MISTYPED_CVC, type VisitorProfile, type VisitResult } from './legitimate-visitor.ts'

/** bankMs: the time that the gateway takes for a stolen card. */
const LONG = { hours: 2, cards: 20_000, addresses: 5_000, visitors: 500, phones: 50, burstSize: 200, bankMs: 400 }
const SHORT = { hours: 1, cards: 400, addresses: 100, visitors: 30, phones: 10, burstSize: 50, bankMs: 50 }

const MAX_AT_GATEWAY = 200
/** Attempts per day that a confirmed phone number allows by default. */
const MAX_PER_PHONE = 5
const MAX_DECLINES_UNTIL_OPEN = 100
const MIN_ENROLLED = 0.99

type Attack = { name: string; addresses: number; phones: number }
type Visit = VisitResult & { profile: VisitorProfile }

/** Attackers test stolen cards for hours while legitimate visitors enroll. */
export const cardTesting: Drill = async (run, backend) => {
  const { addresses, phones } = run.short ? SHORT : LONG
  const attacks: Attack[] = [
    { name: 'from one address', addresses: 1, phones: 0 },
    { name: `from ${addresses} addresses`, addresses, phones: 0 },
    { name: `from ${addresses} addresses, with ${phones} phones`, addresses, phones },
  ]
  const rows: ReportRow[] = []
  for (const attack of run.short ? attacks.slice(0, 2) : attacks) rows.push(await runAttack(run, backend, attack))
  return rows
}

async function runAttack(run: DrillRun, backend: Backend, attack: Attack): Promise<ReportRow> {
  const size = run.short ? SHORT : LONG
  const cards = Array.from({ length: size.cards }, (_, n) => cardNumber('51', n))
  const stolenCards = new Set(cards)
  const counts: Counts = { stolenAtGateway: 0, declines: 0, declinesUntilOpen: 0 }
  const clock = createVirtualClock()
  const workspace = await backend.createWorkspace()
  const site = await openInProcessSite(workspace, {
    now: clock.now,
    wrapGateways: ({ payment }) => ({ payment: withStolenCards(payment, stolenCards, size.bankMs, counts) }),
    onLogLine: (line) => {
      if (line.includes('"breaker":"declines"')) counts.declinesUntilOpen ||= counts.declines
      else run.print(`  ${line.slice(0, 300)}`)
    },
  })
  const refusalsBefore = new Map(refusals)
  const testers = createCardTesters(site, clock)
  const seconds = size.hours * 3600
  const bursts = Math.ceil(size.cards / size.burstSize)
  const pauseSeconds = Math.floor(seconds / bursts)
  let cardIndex = 0
  const nextCard = () => cards[cardIndex++]
  const visits: Visit[] = []

  const sendBursts = async () => {
    for (let burst = 0; burst < bursts; burst++) {
      await clock.sleep(pauseSeconds)
      const addresses = Array.from(
        { length: size.burstSize },
        (_, n) => (burst * size.burstSize + n) % attack.addresses,
      )
      await Promise.all(
        addresses.map(async (address) => {
          const card = nextCard()
          if (card) await testers.tryCard({ address: attackerAddress(address), card })
        }),
      )
      run.showProgress(
        backend.name,
        `abuse · card testing ${attack.name}: ${cardIndex} of ${size.cards} tried, ${counts.stolenAtGateway} reached the gateway, ${visits.length} of ${size.visitors} visitors done`,
      )
    }
  }
  const profiles = createProfiles(size.visitors, seconds, pauseSeconds)
  await clock.runAll([
    sendBursts,
    ...Array.from({ length: attack.phones }, (_, n) => () => testers.testWithConfirmedPhone(n, nextCard, seconds)),
    ...profiles.map((profile) => async () => void visits.push({ ...(await enroll(site, clock, profile)), profile })),
  ])
  await site.close()
  await workspace.remove()

  const enrolled = visits.filter(({ isEnrolled }) => isEnrolled).length
  const neededCode = visits.filter(({ wasAskedForCode }) => wasAskedForCode).length
  const longestWait = Math.max(...visits.map(({ waitSeconds }) => waitSeconds))
  for (const [outcome, count] of tally(
    visits.filter(({ isEnrolled }) => !isEnrolled).map(({ outcome }) => outcome.replace(/wait \d+/, 'wait …')),
  ))
    run.print(`  ${count} legitimate visitors ended with: ${outcome}`)
  run.print(`  refusals, card testing ${attack.name}: ${refusalsSince(refusalsBefore)}`)
  const maxAtGateway = MAX_AT_GATEWAY + attack.phones * MAX_PER_PHONE
  return {
    action: `${Math.min(cardIndex, size.cards)} stolen cards ${attack.name}, ${size.burstSize} at the same time, in ${size.hours} h; ${size.visitors} legitimate visitors`,
    expected: `≤ ${maxAtGateway} reach the gateway; the breaker opens after at most ${MAX_DECLINES_UNTIL_OPEN} declines; ≥ 99 % of the visitors enroll`,
    result: `${counts.stolenAtGateway} reached the gateway; ${describeBreaker(counts)}; ${enrolled} visitors enrolled (${shareOf(visits, isShared)} behind one address, ${shareOf(visits, hasPasswordManager)} with a password manager), ${neededCode} asked for a code, longest wait ${longestWait} s`,
    passed:
      counts.stolenAtGateway <= maxAtGateway &&
      (counts.declinesUntilOpen || counts.declines) <= MAX_DECLINES_UNTIL_OPEN &&
      enrolled >= size.visitors * MIN_ENROLLED,
  }
}

type Counts = { stolenAtGateway: number; declines: number; declinesUntilOpen: number }

/** A single address is stopped by its own limit; the breaker is for attacks from many. */
const describeBreaker = ({ declinesUntilOpen, declines }: Counts) =>
  declinesUntilOpen
    ? `breaker opened after ${declinesUntilOpen} declines`
    : `${declines} declines in total, too few for the breaker`

/** A gateway that declines stolen cards and mistyped CVCs. */
const withStolenCards = (
  payment: PaymentGateway,
  stolenCards: Set<string>,
  bankMs: number,
  counts: Counts,
): PaymentGateway => ({
  ...payment,
  authorize: async (hold, signal) => {
    const { cc_number, cc_cvv } = hold.card
    const isStolen = stolenCards.has(cc_number)
    if (!isStolen && cc_cvv !== MISTYPED_CVC) return payment.authorize(hold, signal)
    if (isStolen) {
      counts.stolenAtGateway += 1
      await wait(bankMs)
    }
    counts.declines += 1
    return { outcome: 'declined', decline_class: isStolen ? 'bank' : 'input' }
  },
})

const SHARED_ADDRESS = visitorAddress(9_999_999)
const PASSWORD_MANAGER_SECONDS = 30
const isShared = ({ address }: VisitorProfile) => address === SHARED_ADDRESS
const hasPasswordManager = ({ fillSeconds }: VisitorProfile) => fillSeconds < PASSWORD_MANAGER_SECONDS

/**
 * One in ten visitors shares an address, one in ten mistypes, one in five has a password manager, and one in five pays
 * during a burst of the attack.
 */
function createProfiles(count: number, seconds: number, burstSeconds: number): VisitorProfile[] {
  return Array.from({ length: count }, (_, n) => {
    const usesManager = n % 5 === 1
    return {
      address: n % 10 === 3 ? SHARED_ADDRESS : visitorAddress(n),
      answers: formAnswers(`guest${n}`, americanPhone(n), cardNumber('4539', n)),
      arrivesAt: Math.floor((n * (seconds - 300)) / count),
      fillSeconds: usesManager ? 4 + (n % 20) : 60 + ((n * 37) % 180),
      lookups: usesManager ? 0 : 2,
      mistypesCvc: n % 10 === 7,
      ...(n % 5 === 4 ? { paysEvery: burstSeconds } : {}),
    }
  })
}

const shareOf = (visits: Visit[], matches: (profile: VisitorProfile) => boolean) => {
  const group = visits.filter(({ profile }) => matches(profile))
  return `${group.filter(({ isEnrolled }) => isEnrolled).length} of ${group.length}`
}

const tally = (texts: string[]): [string, number][] => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** The number of refusals by each limit since then. */
export const refusalsSince = (before: Map<string, number>): string =>
  [...refusals]
    .map(([limit, count]) => [limit, count - (before.get(limit) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([limit, count]) => `${limit} ${count}`)
    .join(', ') || 'none'
