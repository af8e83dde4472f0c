import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EnrollPage } from './EnrollPage.tsx'

test('25.2 the route /{sponsor_site} is named EnrollPage, and its parameter is sponsor_site', () => {
  expect(EnrollPage.name).toBe('EnrollPage')
  expect(readFileSync('server/site/page.ts', 'utf8')).toMatch(/app\.get\b.*'\/:sponsor_site'/)
})
