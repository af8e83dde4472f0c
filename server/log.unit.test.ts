import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { createLog, lostLines, scrub } from './log.ts'

/** What the log writes. */
const written = (write: (log: ReturnType<typeof createLog>) => void): string => {
  const sink = new PassThrough()
  const log = createLog('info', sink)
  write(log)
  log.flush()
  return String(sink.read())
}

const HIDDEN = '[card number]'

describe('7.4 a card number never reaches the log', () => {
  test.each([
    ['in a field', { cc_number: '4242424242424242' }],
    ['deep inside', { body: { payments: [{ card: { number: '378282246310005' } }] } }],
    ['as a key', { '6011111111111117': true }],
    ['as a number', { card: 5555555555554444 }],
    ['with thirteen digits', { card: '4007000000027' }],
    ['followed by its expiry', { card: '4242424242424242 12/30' }],
    ['in an address', { url: '/pay?card=4242%204242%204242%204242&x=1' }],
    ['in a form', { body: 'cc_number=4242+4242+4242+4242' }],
  ])('%s', (_where, text) => {
    const line = written((log) => log.info(text, 'seen'))
    expect(line).toContain(HIDDEN)
    expect(line.replace(/\D/g, '')).not.toMatch(/4242424242424242|378282246310005|6011111111111117|5555555555554444/)
  })

  test.each(['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242', '4242.4242.4242.4242'])(
    'in free text: %s',
    (number) => expect(scrub(`card ${number} was refused`)).toBe(`card ${HIDDEN} was refused`),
  )

  test('in the message of an error, its stack or its cause', () => {
    const error = new Error('no answer for 4242 4242 4242 4242', { cause: new Error('5555-5555-5555-4444') })
    const line = written((log) => log.error({ err: error }, 'payment of 4111111111111111 failed'))
    expect(line.match(/4242 4242|5555-5555|4111111/)).toBeNull()
    expect(JSON.parse(line)).toMatchObject({ msg: `payment of ${HIDDEN} failed`, err: { type: 'Error' } })
  })

  test('in a child log', () => {
    const line = written((log) => log.child({ card: '4242424242424242' }).info('seen'))
    expect(JSON.parse(line)).toMatchObject({ card: HIDDEN, msg: 'seen' })
  })

  test.each(['4242  4242  4242  4242', '4242 - 4242 - 4242 - 4242', '4242\u00a04242\u00a04242\u00a04242'])(
    'with wide gaps: %j',
    (number) => expect(scrub(number)).toBe(HIDDEN),
  )
})

describe('29.9 an API key never reaches the log', () => {
  const key = 'foyer_live_0123456789ABCDEFGHIJabcdefghij012345'
  test.each([
    ['in a header', { headers: { authorization: `Bearer ${key}` } }],
    ['in an address', { url: `/api/v1/members?key=${key}&x=1` }],
    ['with an escaped prefix', { url: `/api/v1/members?key=${key.replaceAll('_', '%5F')}` }],
    ['as a key of an object', { [key]: true }],
    ['cut short', { body: key.slice(0, 30) }],
    ['in an error', { err: new Error(`invalid header: Bearer ${key}`) }],
  ])('%s', (_where, text) => {
    const line = written((log) => log.info(text, `seen ${key}`))
    expect(line).toContain('[API key]')
    expect(line).not.toContain(key.slice(11, 25))
    expect(JSON.parse(line)).toMatchObject({ msg: 'seen [API key]' })
  })
})

describe('other text stays', () => {
  test.each([
    ['an amount', '"grand_total":"99.00"'],
    ['a time', '"time":"2026-11-15T01:54:00.123Z"'],
    ['a time in milliseconds', '"at":1794707640000'],
    ['an enrollment', '"enrollment_id":"3f2c1b0a-1111-4222-8333-0123456789ab"'],
    ['a phone number', '"mobile_phone":"+12025550123"'],
    ['a number that fails its check digit', '4242424242424241'],
    ['another brand’s number', '3530111333300000'],
    ['the prefix of a key', 'Authorization: Bearer foyer_live_…'],
    ['an address', '10.0.0.5:3000 and 192.168.100.200'],
  ])('%s', (_what, text) => expect(scrub(text)).toBe(text))

  test('a line stays JSON, with its level, time and message', () => {
    const before = Date.now()
    const line = JSON.parse(written((log) => log.info({ method: 'GET', status: 200, ms: 12 }, 'answered')))
    expect(line).toMatchObject({ level: 30, method: 'GET', status: 200, ms: 12, msg: 'answered' })
    expect(Date.parse(line.time)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(line.time)).toBeLessThanOrEqual(Date.now())
  })

  test.each([
    ['a decimal', '"seconds":4.242424242424242'],
    ['an enrollment whose digits happen to fit', '"enrollment_id":"d2424242-4242-4242-8242-4242424242ab"'],
  ])('%s', (_what, text) => expect(scrub(text)).toBe(text))

  test('a line stays JSON when a card was a number in it', () =>
    expect(JSON.parse(written((log) => log.info({ card: 4242424242424242 }, 'seen')))).toMatchObject({ msg: 'seen' }))
})

/** A file on a disk that may be full: like standard output, it fails and can be written again. */
const disk = () => {
  const file = new EventEmitter()
  const state = { isFull: false, text: '' }
  const write = (text: string, done: (error?: Error) => void) => {
    const error = state.isFull ? new Error('ENOSPC: no space left on device, write') : undefined
    if (error) file.emit('error', error)
    else state.text += text
    done(error)
  }
  return { state, sink: Object.assign(file, { write }) as unknown as NodeJS.WritableStream }
}

test('8.9 a log that cannot be written is reported once, lost lines are counted, and it recovers', () => {
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  const { state, sink } = disk()
  const log = createLog('info', sink)
  const lost = lostLines.count
  const write = (...lines: string[]) => {
    for (const line of lines) log.info(line)
    log.flush()
  }
  write('first')
  state.isFull = true
  write('second', 'third')
  write('fourth')
  expect(lostLines.count - lost).toBe(3)
  expect(consoleError.mock.calls).toEqual([
    ['Foyer: cannot write the log, lines are lost: ENOSPC: no space left on device, write'],
  ])
  state.isFull = false
  state.text += '{"half'
  write('fifth')
  write('sixth')
  const lines = state.text.trim().split('\n')
  expect(lines.map((line) => /"msg":"(\w+)"/.exec(line)?.[1])).toEqual(['first', undefined, 'fifth', 'sixth'])
  consoleError.mockRestore()
})

test('8.9 many logs on one stream share one listener', () => {
  const { sink } = disk()
  for (let count = 0; count < 20; count++) createLog('info', sink)
  expect(sink.listenerCount('error')).toBe(1)
})
