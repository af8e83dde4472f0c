import { expect, test } from 'vitest'
import { referenceOf } from './attempt-key.ts'

test('10.21 a payment’s reference follows from its key, so that the welcome can show it', () => {
  const key = { enrollment_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', attempt: 2 }
  expect(referenceOf(key)).toBe('ej8fltttakddb85cekha')
})
