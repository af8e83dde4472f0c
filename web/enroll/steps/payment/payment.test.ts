import { describe, expect, test } from 'vitest'
import type { EnrollmentReply, EnrollmentStatus } from '#contract/api.ts'
import type { Enrollment } from '#contract/enrollment.ts'
import { RejectedCall } from '#web/call.ts'
import { Unreachable } from '#web/network.ts'
import { createPayment, type Outcome, type Press } from './payment.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const approved: EnrollmentReply = { payment: 'Approved', token: 'a.b.c', vo_url: 'http://office' }
const STARTED = 1_000_000
const declined: EnrollmentReply = { payment: 'Declined', token: '', vo_url: '', decline_class: 'card' }
const pending: EnrollmentReply = { payment: 'Pending', token: '', vo_url: '' }
const none: EnrollmentStatus = { state: 'none', attempt: 1 }
const nothing = [none, none] // for the cookie, and for the page
const offline = new Unreachable('The server did not answer.')
const garbled = new RejectedCall(200, { message: 'Something went wrong.' }) // a page of the hotel's Wi-Fi
const broken = new RejectedCall(500, { message: 'Something went wrong.' })

type Said<Answer> = Answer | Error

/** A server that says what is written down for it, one after the other and the last one for good, and notes every key. */
function serverSaying({
  pays = [],
  status = [none],
  earlier,
}: {
  pays?: Said<EnrollmentReply>[]
  status?: Said<EnrollmentStatus>[]
  earlier?: Press
}) {
  const paid: string[] = []
  const asked: (string | undefined)[] = []
  const tokens: string[] = []
  let time = STARTED
  const say = async <Answer>(list: Said<Answer>[]): Promise<Answer> => {
    const next = list.length > 1 ? list.shift() : list[0]
    if (next instanceof Error || next === undefined) throw next ?? new Error('Nothing is written down.')
    return next
  }
  const payment = createPayment({
    calls: {
      addEnrollment: (_, options) => {
        paid.push(options?.key ?? '')
        return say(pays)
      },
      getStatus: (_, options) => {
        asked.push(options?.key)
        return say(status)
      },
    },
    enrollment_id: ID,
    earlier,
    saveToken: (token) => tokens.push(token),
    now: () => time,
    pause: async (milliseconds) => {
      time += milliseconds
    },
  })
  return {
    payment,
    paid,
    asked,
    tokens,
    submit: () => payment.submit({} as Enrollment),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    time: () => time,
  }
}

describe('after a reload', () => {
  const pressed = { attempt: 1, pressed_at: STARTED - 5_000 }
  const again = { attempt: 2, pressed_at: STARTED - 5_000 }
  const over: EnrollmentStatus = { state: 'declined', attempt: 2, reply: declined }
  test.each<[string, Press | undefined, EnrollmentStatus, Outcome | undefined]>([
    ['a press that nobody has written down yet is being checked', pressed, none, { is: 'running' }],
    ['one that was declined is told at once', pressed, over, undefined],
    ['a second one is not taken for the first, which was declined', again, over, { is: 'running' }],
    ['one that is long over is told', { ...pressed, pressed_at: STARTED - 40_000 }, none, undefined],
    ['without a press they may pay', undefined, none, undefined],
  ])('10.3 %s', async (_, earlier, status, outcome) => {
    const { payment } = serverSaying({ status: [status], ...(earlier ? { earlier } : {}) })
    expect(await payment.look()).toEqual(outcome)
  })

  test('10.3 what never arrived is let go once nothing can be on its way', async () => {
    const { payment, pass } = serverSaying({ earlier: pressed })
    expect(await payment.check()).toEqual({ is: 'running' })
    pass(40_000)
    expect(await payment.check()).toEqual({ is: 'released' })
  })

  test('10.3 a second press is asked for by its own number, also when nobody answered at first', async () => {
    const { payment, asked } = serverSaying({ status: [offline, { ...none, attempt: 2 }], earlier: again })
    await expect(payment.look()).rejects.toThrow()
    expect(await payment.check()).toEqual({ is: 'running' })
    expect(asked.at(-1)).toBe(`${ID}.2`)
  })

  test('10.3 a press is kept by the number that the server gave it, before it is sent', async () => {
    const { payment, paid } = serverSaying({ status: [over], pays: [approved] })
    const kept: unknown[] = []
    await payment.submit({} as Enrollment, ({ attempt }) => kept.push([attempt, ...paid]))
    expect([kept, paid]).toEqual([[[2]], [`${ID}.2`]])
  })
})

describe('what becomes of a press', () => {
  test.each<[string, Said<EnrollmentReply>, Said<EnrollmentStatus>[], Outcome]>([
    ['approved', approved, [none], { is: 'approved' }],
    ['declined', declined, [none], { is: 'declined', decline_class: 'card' }],
    ['held for review: being checked, never declined', pending, [none], { is: 'running' }],
    ['lost, and the server never heard of it', offline, [...nothing, none], { is: 'failed' }],
    [
      'lost, and it was not charged',
      offline,
      [...nothing, { state: 'declined', attempt: 2, reply: declined }],
      { is: 'failed' },
    ],
    [
      'lost, and it is under way',
      offline,
      [...nothing, { state: 'running', attempt: 1, reply: pending }],
      { is: 'running' },
    ],
    [
      'lost, and it was paid',
      offline,
      [...nothing, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    [
      'broken on the server, and it was paid',
      broken,
      [...nothing, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    [
      '10.4 answered by somebody in between, and it was paid',
      garbled,
      [...nothing, { state: 'approved', attempt: 1, reply: approved }],
      { is: 'approved' },
    ],
    ['10.4 answered by somebody in between, and nothing came of it', garbled, [...nothing, none], { is: 'failed' }],
    ['lost, and nobody answers', offline, [...nothing, offline], { is: 'failed' }],
    [
      'lost, and somebody answers in the end',
      offline,
      [...nothing, offline, broken, { state: 'running', attempt: 1 }],
      { is: 'running' },
    ],
    [
      'refused by field',
      new RejectedCall(422, { message: 'Please check the marked fields.', fields: { username: ['Taken.'] } }),
      [none],
      { is: 'refused', message: 'Please check the marked fields.', fields: { username: ['Taken.'] } },
    ],
    ['too often', new RejectedCall(429, { message: 'Wait.' }), [none], { is: 'refused', message: 'Wait.', fields: {} }],
  ])('%s', async (_, reply, status, outcome) => {
    const { submit } = serverSaying({ pays: [reply], status })
    expect(await submit()).toEqual(outcome)
  })

  test('4.8 when nobody answers it gives up after 20 seconds', async () => {
    const { submit, time } = serverSaying({ pays: [offline], status: [...nothing, offline] })
    await submit()
    expect(time()).toBe(STARTED + 20_000)
  })

  test.each<[string, EnrollmentStatus, Outcome]>([
    ['paid in another tab', { state: 'approved', attempt: 1, reply: approved }, { is: 'paid' }],
    ['under way in another tab', { state: 'running', attempt: 1, reply: pending }, { is: 'running' }],
  ])('what is %s is not sent again', async (_, status, outcome) => {
    const { submit, paid } = serverSaying({ pays: [approved], status: [status] })
    expect(await submit()).toEqual(outcome)
    expect(paid).toEqual([])
  })

  const others: EnrollmentReply = { ...approved, token: '' } // the server knows it, and hands nobody else the key

  test('10.6 what was paid here before the cookie went on to another is not sent, and welcomes nobody', async () => {
    const { submit, paid, asked } = serverSaying({
      pays: [others],
      status: [none, { state: 'approved', attempt: 1, reply: others }],
    })
    expect(await submit()).toEqual({ is: 'paid' })
    expect([asked, paid]).toEqual([[undefined, `${ID}.1`], []])
  })

  test.each<[string, Said<EnrollmentReply>]>([
    ['since the page was last seen', others],
    ['and the answer was lost', offline],
  ])('10.6 nor does it when it was paid %s', async (_, reply) => {
    const { submit } = serverSaying({
      pays: [reply],
      status: [...nothing, { state: 'approved', attempt: 1, reply: others }],
    })
    expect(await submit()).toEqual({ is: 'paid' })
  })
})

describe('the number of the attempt', () => {
  test.each<[string, Said<EnrollmentReply>, Said<EnrollmentStatus>[], string[]]>([
    ['4.7 goes up after a decline was heard', declined, [none], ['.1', '.2']],
    ['4.8 stays after a lost answer that nobody knows of', offline, [...nothing, none], ['.1', '.1']],
    ['4.8 stays when nobody answers', offline, [...nothing, offline], ['.1', '.1']],
    ['4.8 stays after a refusal', new RejectedCall(422, { message: '', fields: {} }), [none], ['.1', '.1']],
    [
      'goes up when the lost answer was a decline',
      offline,
      [...nothing, { state: 'declined', attempt: 2 }],
      ['.1', '.2'],
    ],
    [
      'goes up when the attempt was given up',
      new RejectedCall(409, { message: '' }),
      [...nothing, { state: 'none', attempt: 2 }],
      ['.1', '.2'],
    ],
    ['begins where the server says', declined, [{ state: 'none', attempt: 4 }], ['.4', '.5']],
  ])('%s', async (_, first, status, numbers) => {
    const { submit, paid } = serverSaying({ pays: [first, approved], status })
    await submit()
    await submit()
    expect(paid).toEqual(numbers.map((number) => ID + number))
  })

  test('4.11 a lost answer is asked for by its own key', async () => {
    const { submit, asked } = serverSaying({ pays: [offline], status: [...nothing, { state: 'running', attempt: 1 }] })
    await submit()
    expect(asked).toEqual([undefined, `${ID}.1`, `${ID}.1`])
  })
})

describe('while it is being checked', () => {
  test.each<[string, EnrollmentStatus, Outcome]>([
    ['it stays', { state: 'running', attempt: 1 }, { is: 'running' }],
    ['4.9 it may end in an approval', { state: 'approved', attempt: 1, reply: approved }, { is: 'approved' }],
    [
      '4.9 it may end in an approval so late that nobody is handed a key',
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
    const { payment, submit } = serverSaying({ pays: [pending], status: [...nothing, status] })
    await submit()
    expect(await payment.check()).toEqual(outcome)
  })
})

describe('the grant', () => {
  const fresh: EnrollmentStatus = { state: 'approved', attempt: 1, reply: { ...approved, token: 'd.e.f' } }

  test('is stored and taken at once', async () => {
    const { payment, submit, tokens } = serverSaying({ pays: [approved] })
    await submit()
    expect(payment.isWelcome()).toBe(true)
    expect([await payment.takeGrant(), tokens]).toEqual([{ token: 'a.b.c', vo_url: 'http://office' }, ['a.b.c']])
  })

  test.each<[string, number, boolean]>([
    ['is used as it is while it is fresh', 44_000, false],
    ['is asked for again when it is old', 45_000, true],
  ])('4.2 %s', async (_, age, again) => {
    const { payment, submit, pass } = serverSaying({ pays: [approved], status: [...nothing, fresh] })
    await submit()
    pass(age)
    expect((await payment.takeGrant()).token).toBe(again ? 'd.e.f' : 'a.b.c')
  })

  test('4.16 is never used twice', async () => {
    const { payment, submit } = serverSaying({ pays: [approved], status: [...nothing, fresh] })
    await submit()
    await payment.takeGrant()
    expect((await payment.takeGrant()).token).toBe('d.e.f')
  })

  test('is empty long after joining: one signs in at the office', async () => {
    const { payment } = serverSaying({ status: [{ state: 'approved', attempt: 1, reply: { ...approved, token: '' } }] })
    expect(await payment.takeGrant()).toEqual({ token: '', vo_url: 'http://office' })
  })
})
