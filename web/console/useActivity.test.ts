import { expect, it, vi } from 'vitest'
import { atMostEvery } from './useActivity.ts'

it('19.88 typing is reported once a minute, however fast', () => {
  let time = 0
  const report = vi.fn()
  const onInput = atMostEvery(60_000, report, () => time)
  for (; time < 180_000; time += 250) onInput()
  expect(report).toHaveBeenCalledTimes(2)
})
