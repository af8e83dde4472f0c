import { describe, expect, test } from 'vitest'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { Unreachable } from '#web/network.ts'
import { RejectedCall } from '#web/rejected-call.ts'
import type { Outcome, SubmittedAttempt } from './outcome.ts'
import { createPayment } from './payment.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const approved: EnrollmentReply = { payment: 'Approved', token: 'a.b.c', vo_url: 'http://office' }
const STARTED = 1_000_000
const declined: EnrollmentReply = { payment: 'Declined', token: '', vo_url: '', decline_class: 'card' }
const pending: EnrollmentReply = { payment: 'Pending', token: '', vo_url: '' }
const none: EnrollmentStatus = { state: 'none', attempt: 1 }
const noPayment = [none, none] // looked up by the cookie, then by the page's own key
const offline = new Unreachable('The server did not answer.')
const garbled = new RejectedCall(200, { message: 'Something went wrong.' }) // such as the sign-in page of a Wi-Fi network
const broken = new RejectedCall(500, { message: 'Something went wrong.' })

type Prepared<Answer> = Answer | Error

/** A server with prepared answers, of which the last one repeats. It records every key. */
function serverWith({
  pays = [],
  status = [none],
  earlierPress,
  isOnline = () => true,
}: {
  pays?: Prepared<EnrollmentReply>[]
  status?: Prepared<EnrollmentStatus>[]
  earlierPress?: SubmittedAttempt
  isOnline?: () => boolean
}) {
  const submittedKeys: string[] = []
  const lookups: (string | undefined)[] = []
  const tokens: string[] = []
  let time = STARTED
  const nextOf = async <Answer>(list: Prepared<Answer>[]): Promise<Answer> => {
    const next = list.length > 1 ? list.shift() : list[0]
    if (next instanceof Error || next === undefined) throw next ?? new Error('No answer is prepared.')
    return next
  }
  const payment = createPayment({
    calls: {
      addEnrollment: ({ after_unknown }, options) => {
        submittedKeys.push([options?.key, after_unknown].filter(Boolean).join(' after '))
        return nextOf(pays)
      },
      getStatus: (_, options) => {
        lookups.push(options?.key)
        return nextOf(status)
      },
    },
    enrollment_id: ID,
    earlierPress,
    saveToken: (token) => tokens.push(token),
    isOnline,
    now: () => time,
    pause: async (milliseconds) => {
      time += milliseconds
    },
  })
  return {
    payment,
    submittedKeys,
    lookups,
    tokens,
    submit: (after_unknown?: string) => payment.submit({ ...(after_unknown ? { after_unknown } : {}) } as Enrollment),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    time: () => time,
  }
}

describe('after a reload', () => {
  const firstPress = { attempt: 1, pressed_at: STARTED - 5_000 }
  const secondPress = { attempt: 2, pressed_at: STARTED - 5_000 }
  const declinedStatus: EnrollmentStatus = { state: 'declined', attempt: 2, reply: declined }
  test.each<[string, SubmittedAttempt | undefined, EnrollmentStatus, Outcome | undefined]>([
    ['a press that the server has not recorded yet is being checked', firstPress, none, { is: 'running' }],
    ['a declined one is reported at once', firstPress, declinedStatus, undefined],
    [
      'a second press is not mistaken for the first, which was declined',
      secondPress,
      declinedStatus,
      { is: 'running' },
    ],
    [
      'one that can no longer be in flight is reported',
      { ...firstPress, pressed_at: STARTED - 40_000 },
      none,
      undefined,
    ],
    ['without a press the visitor may pay', undefined, none, undefined],
  ])('10.3 %s', async (_, earlierPress, status, outcome) => {
    const { payment } = serverWith({ status: [status], ...(earlierPress ? { earlierPress } : {}) })
    expect(await payment.lookUp()).toEqual(outcome)
  })

  test('10.3 a press that never arrived is released once it can no longer be in flight', async () => {
    const { payment, pass } = serverWith({ earlierPress: firstPress })
    expect(await payment.check()).toEqual({ is: 'running' })
    pass(40_000)
    expect(await payment.check()).toEqual({ is: 'released' })
  })

  test('10.3 a second press is looked up by its own number, even if the first lookup failed', async () => {
    const { payment, lookups } = serverWith({ status: [offline, { ...none, attempt: 2 }], earlierPress: secondPress })
    await expect(payment.lookUp()).rejects.toThrow()
    expect(await payment.check()).toEqual({ is: 'running' })
    expect(lookups.at(-1)).toBe(`${ID}.2`)
  })

  test('10.3 a press is recorded under the server’s attempt number before it is sent', async () => {
    const { payment, submittedKeys } = serverWith({ status: [declinedStatus], pays: [approved] })
    const recorded: unknown[] = []
    await payment.submit({} as Enrollment, { onPress: ({ attempt }) => recorded.push([attempt, ...submittedKeys]) })
    expect([recorded, submittedKeys]).toEqual([[[2]], [`${ID}.2`]])
  })
})

describe('the outcome of a press', () => {
  test.each<[string, Prepared<EnrollmentReply>, Prepared<EnrollmentStatus>[], Outcome]>([
    ['approved', approved, [none], { is: 'approved' }],
    ['declined', declined, [none], { is: 'declined', decline_class: 'card' }],
    ['held for review: being checked, never declined', pending, [none], { is: 'running' }],
    ['lost, and the server never received it', offline, [...noPayment, none], { is: 'failed', charge: 'none' }],
    [
      '10.18 lost, and the server receives it a moment later: not “nothing was charged”',
      offline,
      [...noPayment, none, { state: 'running', attempt: 1 }],
      { is: 'running' },
    ],
    [
      'lost, and it was not charged',
      offline,
      [...noPayment, { state: 'declined', attempt: 2, reply: declined }],
      { is: 'failed', charge: 'none' },
    ],
    [
      'lost, and it is still running',
      offline,
      [...noPayment, { state: 'running', attempt: 1, reply: pending }],
      { is: 'running' },
    ],
    [
      'lost, and it was paid',
      offline,
      [...noPayment, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    [
      'broken on the server, and it was paid',
      broken,
      [...noPayment, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    [
      '10.4 answered by a proxy, and it was paid',
      garbled,
      [...noPayment, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    [
      '10.4 answered by a proxy, and the server never received it',
      garbled,
      [...noPayment, none],
      { is: 'failed', charge: 'none' },
    ],
    [
      '10.18 lost, and the server does not answer',
      offline,
      [...noPayment, offline],
      { is: 'failed', charge: 'unknown' },
    ],
    ['10.18 never sent, because the server does not answer', approved, [offline], { is: 'failed', charge: 'none' }],
    [
      'lost, and the server answers in the end',
      offline,
      [...noPayment, offline, broken, { state: 'running', attempt: 1 }],
      { is: 'running' },
    ],
    [
      'rejected by field',
      new RejectedCall(422, { message: 'Please check the marked fields.', fields: { username: ['Taken.'] } }),
      [none],
      { is: 'rejected', message: 'Please check the marked fields.', fields: { username: ['Taken.'] } },
    ],
    [
      'rejected by a rate limit',
      new RejectedCall(429, { message: 'Wait.' }),
      [none],
      { is: 'rejected', message: 'Wait.', fields: {} },
    ],
  ])('%s', async (_, reply, status, outcome) => {
    const { submit } = serverWith({ pays: [reply], status })
    expect(await submit()).toEqual(outcome)
  })

  test('4.8 without an answer it gives up after 20 seconds', async () => {
    const { submit, time } = serverWith({ pays: [offline], status: [...noPayment, offline] })
    await submit()
    expect(time()).toBe(STARTED + 20_000)
  })

  test.each<[string, EnrollmentStatus, Outcome]>([
    ['that was made in another tab', { state: 'approved', attempt: 1, reply: approved }, { is: 'paid' }],
    ['that is running in another tab', { state: 'running', attempt: 1, reply: pending }, { is: 'running' }],
  ])('a payment %s is not sent again', async (_, status, outcome) => {
    const { submit, submittedKeys } = serverWith({ pays: [approved], status: [status] })
    expect(await submit()).toEqual(outcome)
    expect(submittedKeys).toEqual([])
  })

  const replyWithoutToken: EnrollmentReply = { ...approved, token: '' } // the server gives the token to the payer only

  test('10.6 a payment from before the cookie changed is not sent again, and shows no welcome', async () => {
    const { submit, submittedKeys, lookups } = serverWith({
      pays: [replyWithoutToken],
      status: [none, { state: 'approved', attempt: 1, reply: replyWithoutToken }],
    })
    expect(await submit()).toEqual({ is: 'paid' })
    expect([lookups, submittedKeys]).toEqual([[undefined, `${ID}.1`], []])
  })

  test.each<[string, Prepared<EnrollmentReply>]>([
    ['in the answer to the press', replyWithoutToken],
    ['after the answer was lost', offline],
  ])(
    '10.15 an approval without a token, %s, is never a decline: the member signs in at the office',
    async (_, reply) => {
      const { payment, submit, tokens } = serverWith({
        pays: [reply],
        status: [...noPayment, { state: 'approved', attempt: 1, reply: replyWithoutToken }],
      })
      expect(await submit()).toEqual({ is: 'approved' })
      expect([payment.signInUrl(), tokens]).toEqual(['http://office', []])
    },
  )
})

describe('the attempt number', () => {
  test.each<[string, Prepared<EnrollmentReply>, Prepared<EnrollmentStatus>[], string[]]>([
    ['4.7 goes up after a decline', declined, [none], ['.1', '.2']],
    ['4.8 stays after a lost answer that the server does not know', offline, [...noPayment, none], ['.1', '.1']],
    ['4.8 stays without an answer', offline, [...noPayment, offline], ['.1', '.1']],
    ['4.8 stays after a rejection', new RejectedCall(422, { message: '', fields: {} }), [none], ['.1', '.1']],
    [
      'goes up when the lost answer was a decline',
      offline,
      [...noPayment, { state: 'declined', attempt: 2 }],
      ['.1', '.2'],
    ],
    [
      'goes up when the attempt was given up',
      new RejectedCall(409, { message: '' }),
      [...noPayment, { state: 'none', attempt: 2 }],
      ['.1', '.2'],
    ],
    ['starts where the server says', declined, [{ state: 'none', attempt: 4 }], ['.4', '.5']],
  ])('%s', async (_, first, status, numbers) => {
    const { submit, submittedKeys } = serverWith({ pays: [first, approved], status })
    await submit()
    await submit()
    expect(submittedKeys).toEqual(numbers.map((number) => ID + number))
  })

  test('4.11 a lost answer is looked up by its own key', async () => {
    const { submit, lookups } = serverWith({
      pays: [offline],
      status: [...noPayment, { state: 'running', attempt: 1 }],
    })
    await submit()
    expect(lookups).toEqual([undefined, `${ID}.1`, `${ID}.1`])
  })
})

describe('10.19 a press without a network', () => {
  /** Offline until the page has waited once. Records whether something had been sent by then. */
  const waitOnce = (isBack = true) => {
    const waits: boolean[] = []
    return {
      waits,
      isOnline: () => waits.length > 0,
      waitForNetwork: async (isSent: boolean) => {
        waits.push(isSent)
        return isBack
      },
    }
  }

  test('waits before anything is sent, and then pays once', async () => {
    const { waits, isOnline, waitForNetwork } = waitOnce()
    const { payment, submittedKeys } = serverWith({ pays: [approved], status: [offline, none], isOnline })
    expect(await payment.submit({} as Enrollment, { waitForNetwork })).toEqual({ is: 'approved' })
    expect([waits, submittedKeys]).toEqual([[false], [`${ID}.1`]])
  })

  test('waits before the second attempt is sent, too', async () => {
    let isOnline = true
    const { payment, submit, submittedKeys } = serverWith({
      pays: [declined, offline, approved],
      status: [...noPayment, offline, none],
      isOnline: () => isOnline,
    })
    await submit()
    isOnline = false
    expect(await payment.submit({} as Enrollment, { waitForNetwork: async () => false })).toEqual({
      is: 'stopped',
      isSent: false,
    })
    expect(submittedKeys).toEqual([`${ID}.1`])
  })

  test('sends nothing if the visitor stops waiting', async () => {
    const { isOnline, waitForNetwork } = waitOnce(false)
    const { payment, submittedKeys } = serverWith({ pays: [approved], status: [offline], isOnline })
    expect(await payment.submit({} as Enrollment, { waitForNetwork })).toEqual({ is: 'stopped', isSent: false })
    expect(submittedKeys).toEqual([])
  })

  test.each<[string, EnrollmentStatus, Outcome, number]>([
    ['was paid', { state: 'approved', attempt: 1, reply: approved }, { is: 'approved' }, 1],
    ['is running', { state: 'running', attempt: 1 }, { is: 'running' }, 1],
    ['never arrived: it is sent again with the same key', none, { is: 'approved' }, 2],
  ])('that was lost on its way %s', async (_, status, outcome, sent) => {
    const { waits, isOnline, waitForNetwork } = waitOnce()
    const { payment, submittedKeys, pass } = serverWith({
      pays: [offline, approved],
      status: [...noPayment, status],
      isOnline,
    })
    const wait = (isSent: boolean) => {
      pass(600_000)
      return waitForNetwork(isSent)
    }
    expect(await payment.submit({} as Enrollment, { waitForNetwork: wait })).toEqual(outcome)
    expect([waits, submittedKeys]).toEqual([[true], Array(sent).fill(`${ID}.1`)])
  })
})

describe('while it is being checked', () => {
  test.each<[string, EnrollmentStatus, Outcome]>([
    ['it may still be running', { state: 'running', attempt: 1 }, { is: 'running' }],
    ['4.9 it may end in an approval', { state: 'approved', attempt: 1, reply: approved }, { is: 'approved' }],
    [
      '4.9 it may end in an approval too late for a token',
      { state: 'approved', attempt: 1, reply: { ...approved, token: '' } },
      { is: 'approved' },
    ],
    [
      'it may end in a decline',
      { state: 'declined', attempt: 2, reply: declined },
      { is: 'declined', decline_class: 'card' },
    ],
    ['4.14 it may be given up, and nothing was charged', { state: 'none', attempt: 2 }, { is: 'released' }],
  ])('%s', async (_, status, outcome) => {
    const { payment, submit } = serverWith({ pays: [pending], status: [...noPayment, status] })
    await submit()
    expect(await payment.check()).toEqual(outcome)
  })
})

describe('the grant', () => {
  const fresh: EnrollmentStatus = { state: 'approved', attempt: 1, reply: { ...approved, token: 'd.e.f' } }

  test('25.11 is stored, and can be used at once', async () => {
    const { payment, submit, tokens } = serverWith({ pays: [approved] })
    await submit()
    expect(payment.hasFreshGrant()).toBe(true)
    expect([await payment.takeGrant(), tokens]).toEqual([{ token: 'a.b.c', vo_url: 'http://office' }, ['a.b.c']])
  })

  test.each<[string, number, boolean]>([
    ['is used as it is while it is fresh', 44_000, false],
    ['is asked for again when it is old', 45_000, true],
  ])('4.2 %s', async (_, age, again) => {
    const { payment, submit, pass } = serverWith({ pays: [approved], status: [...noPayment, fresh] })
    await submit()
    pass(age)
    expect((await payment.takeGrant()).token).toBe(again ? 'd.e.f' : 'a.b.c')
  })

  test('10.23 is kept while the server cannot be reached, and used or replaced when it is back', async () => {
    const { payment, submit, pass } = serverWith({ pays: [approved], status: [...noPayment, offline, offline, fresh] })
    await submit()
    await expect(payment.takeGrant()).rejects.toBe(offline)
    pass(45_000)
    await expect(payment.takeGrant()).rejects.toBe(offline)
    expect((await payment.takeGrant()).token).toBe('d.e.f')
  })

  test('10.23 is used while it is fresh, whatever the server says about it', async () => {
    const { payment, submit } = serverWith({ pays: [approved], status: [...noPayment, broken] })
    await submit()
    expect((await payment.takeGrant()).token).toBe('a.b.c')
  })

  test('4.16 is never used twice', async () => {
    const { payment, submit } = serverWith({ pays: [approved], status: [...noPayment, fresh] })
    await submit()
    expect((await payment.takeGrant()).token).toBe('a.b.c')
    expect((await payment.takeGrant()).token).toBe('d.e.f')
  })

  test('is empty long after joining: the member signs in at the office', async () => {
    const { payment } = serverWith({ status: [{ state: 'approved', attempt: 1, reply: { ...approved, token: '' } }] })
    expect(await payment.takeGrant()).toEqual({ token: '', vo_url: 'http://office' })
  })
})

describe('when the outcome of a payment can’t be known', () => {
  const reference = '7Q4K-2MXA'
  const unknown: EnrollmentReply = { payment: 'Unknown', token: '', vo_url: '', reference }
  const statusOf = (lost: string): EnrollmentStatus => ({
    state: 'unknown',
    attempt: 2,
    reply: { ...unknown, reference: lost },
  })
  const payAndLose = async (status: EnrollmentStatus[]) => {
    const server = serverWith({ pays: [unknown, approved], status: [...noPayment, ...status] })
    expect(await server.submit()).toEqual({ is: 'unknown', reference })
    return server
  }

  test('26.22 only a press after the warning is a new attempt, and names the one that the visitor was warned about', async () => {
    const { submit, submittedKeys } = await payAndLose([statusOf(reference)])
    expect(await submit(reference)).toEqual({ is: 'approved' })
    expect(submittedKeys).toEqual([`${ID}.1`, `${ID}.2 after ${reference}`])
  })

  test('26.22 nothing is sent if a different tab has paid: the visitor is told about that payment instead', async () => {
    for (const [status, outcome] of [
      [statusOf('OTHR-REFR'), { is: 'unknown', reference: 'OTHR-REFR' }],
      [{ state: 'running', attempt: 2 }, { is: 'running' }],
      [{ state: 'approved', attempt: 2, reply: approved }, { is: 'paid' }],
    ] as [EnrollmentStatus, Outcome][]) {
      const { submit, submittedKeys } = await payAndLose([status])
      expect(await submit(reference)).toEqual(outcome)
      expect(submittedKeys).toEqual([`${ID}.1`])
    }
  })

  test('26.22 it is found again after a reload, and by a press in a tab that does not know of it', async () => {
    const reloaded = serverWith({ status: [statusOf(reference)], earlierPress: { attempt: 1, pressed_at: STARTED } })
    expect(await reloaded.payment.lookUp()).toEqual({ is: 'unknown', reference })
    const otherTab = serverWith({ status: [statusOf(reference)] })
    expect(await otherTab.submit()).toEqual({ is: 'unknown', reference })
    expect(otherTab.submittedKeys).toEqual([])
  })

  test('26.22 a press whose reply is lost on the way to the browser ends the same', async () => {
    const { submit } = serverWith({ pays: [offline], status: [...noPayment, statusOf(reference)] })
    expect(await submit()).toEqual({ is: 'unknown', reference })
  })
})

describe('an office that the operator’s host keeps', () => {
  test.each([
    ['with its address, but no token', { token: '', vo_url: 'http://office' }, 'http://office'],
    ['without an address', { token: '', vo_url: '' }, ''],
    ['with both', { token: 'a.b.c', vo_url: 'http://office' }, undefined],
  ])('26.23 %s', async (_, office, signInUrl) => {
    const { payment, submit } = serverWith({ pays: [{ payment: 'Approved', ...office }] })
    expect(await submit()).toEqual({ is: 'approved' })
    expect(payment.signInUrl()).toBe(signInUrl)
  })
})
