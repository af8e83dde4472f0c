import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer, Question } from './question.ts'

const openDialog = vi.fn<(question: Question) => Promise<Answer>>()
const log = vi.fn()
vi.mock('#web/log.ts', () => ({ log }))

/** A new page on which the dialog's code can or cannot be loaded. */
async function loadAsk({ online = true } = {}) {
  vi.resetModules()
  vi.doMock('./openDialog.tsx', () => {
    if (!online) throw new Error('offline')
    return { openDialog }
  })
  return (await import('./ask.ts')).ask
}

beforeEach(() => {
  openDialog.mockReset()
  log.mockReset()
})
afterEach(() => vi.unstubAllGlobals())

describe('a question', () => {
  test('resolves with its answer', async () => {
    openDialog.mockResolvedValue({ confirmed: true })
    const ask = await loadAsk()
    expect((await ask({ title: 'Error' })).confirmed).toBe(true)
  })

  test('waits until the previous one is answered', async () => {
    const answers: ((answer: Answer) => void)[] = []
    openDialog.mockImplementation(() => new Promise((resolve) => answers.push(resolve)))
    const ask = await loadAsk()
    const both = Promise.all([ask({ title: 'first' }), ask({ title: 'second' })])
    await vi.waitFor(() => expect(openDialog).toHaveBeenCalledTimes(1))
    answers[0]?.({ denied: true })
    await vi.waitFor(() => expect(openDialog).toHaveBeenCalledTimes(2))
    answers[1]?.({ dismissed: 'esc' })
    expect(await both).toEqual([{ denied: true }, { dismissed: 'esc' }])
    expect(openDialog.mock.calls.map(([{ title }]) => title)).toEqual(['first', 'second'])
  })

  test('that cannot be shown does not block the next one', async () => {
    openDialog.mockRejectedValueOnce(new Error('its body threw')).mockResolvedValueOnce({ confirmed: true })
    const ask = await loadAsk()
    const first = ask({ title: 'first' })
    const second = ask({ title: 'second' })
    await expect(first).rejects.toThrow('its body threw')
    expect(await second).toEqual({ confirmed: true })
  })
})

describe('when the dialog cannot be loaded', () => {
  test.each<[boolean, Partial<Question>, Answer]>([
    [true, {}, { confirmed: true }],
    [false, {}, { dismissed: 'cancel' }],
    [false, { deny: true }, { denied: true }],
  ])('the browser’s confirm box takes its place: %s, %j', async (isConfirmed, options, answer) => {
    const confirm = vi.fn(() => isConfirmed)
    vi.stubGlobal('window', { confirm })
    const ask = await loadAsk({ online: false })
    expect(await ask({ title: 'Error', text: 'No network.', confirm: 'Try Again', ...options })).toEqual(answer)
    expect(confirm).toHaveBeenCalledWith('Error\n\nNo network.\n\nTry Again')
    expect(log).toHaveBeenCalledOnce()
  })

  test.each<Partial<Question>>([
    { body: 'a long text' },
    { input: { type: 'text', label: 'Name' } },
    { onConfirm: async () => {} },
  ])('a question that needs more than a confirm box fails: %j', async (options) => {
    const ask = await loadAsk({ online: false })
    await expect(ask({ title: 'Terms', ...options })).rejects.toThrow()
  })
})
