import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer, Question } from './ask.ts'

const open = vi.fn<(question: Question) => Promise<Answer>>()
const log = vi.fn()
vi.mock('#web/log.ts', () => ({ log }))

/** A fresh page, on which the dialog's code can be fetched or not. */
async function visit({ online = true } = {}) {
  vi.resetModules()
  vi.doMock('./open.tsx', () => {
    if (!online) throw new Error('offline')
    return { open }
  })
  return (await import('./ask.ts')).ask
}

beforeEach(() => {
  open.mockReset()
  log.mockReset()
})
afterEach(() => vi.unstubAllGlobals())

describe('a question', () => {
  test('is answered once', async () => {
    open.mockResolvedValue({ confirmed: true })
    const ask = await visit()
    expect((await ask({ title: 'Error' })).confirmed).toBe(true)
  })

  test('waits for the one before it', async () => {
    const answers: ((answer: Answer) => void)[] = []
    open.mockImplementation(() => new Promise((resolve) => answers.push(resolve)))
    const ask = await visit()
    const both = Promise.all([ask({ title: 'first' }), ask({ title: 'second' })])
    await vi.waitFor(() => expect(open).toHaveBeenCalledTimes(1))
    answers[0]?.({ denied: true })
    await vi.waitFor(() => expect(open).toHaveBeenCalledTimes(2))
    answers[1]?.({ dismissed: 'esc' })
    expect(await both).toEqual([{ denied: true }, { dismissed: 'esc' }])
    expect(open.mock.calls.map(([{ title }]) => title)).toEqual(['first', 'second'])
  })

  test('that could not be shown does not hold up the next', async () => {
    open.mockRejectedValueOnce(new Error('its body threw')).mockResolvedValueOnce({ confirmed: true })
    const ask = await visit()
    const first = ask({ title: 'first' })
    const second = ask({ title: 'second' })
    await expect(first).rejects.toThrow('its body threw')
    expect(await second).toEqual({ confirmed: true })
  })
})

describe('when the dialog cannot be fetched', () => {
  test.each<[boolean, Partial<Question>, Answer]>([
    [true, {}, { confirmed: true }],
    [false, {}, { dismissed: 'cancel' }],
    [false, { deny: true }, { denied: true }],
  ])('the browser asks in its place: %s, %j', async (pressed, more, answer) => {
    const confirm = vi.fn(() => pressed)
    vi.stubGlobal('window', { confirm })
    const ask = await visit({ online: false })
    expect(await ask({ title: 'Error', text: 'No network.', confirm: 'Try Again', ...more })).toEqual(answer)
    expect(confirm).toHaveBeenCalledWith('Error\n\nNo network.\n\nTry Again')
    expect(log).toHaveBeenCalledOnce()
  })

  test.each<Partial<Question>>([
    { body: 'a long text' },
    { input: { type: 'text', label: 'Name' } },
    { onConfirm: async () => {} },
  ])('what it cannot ask, it does not pretend to: %j', async (more) => {
    const ask = await visit({ online: false })
    await expect(ask({ title: 'Terms', ...more })).rejects.toThrow()
  })
})
