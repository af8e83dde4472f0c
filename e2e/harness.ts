import { join } from 'node:path'
import { type Page, test } from '@playwright/test'
import { build, type Rolldown } from 'vite'

/** Bundles a file of this folder, and makes its exports a global of every test's page. */
export function loadHarness(file: string, name: string) {
  let script = ''
  test.beforeAll(async () => {
    const bundle = await build({
      configFile: false,
      logLevel: 'warn',
      define: { 'process.env.NODE_ENV': '"production"' },
      build: { write: false, lib: { entry: join(import.meta.dirname, file), formats: ['iife'], name } },
    })
    const [{ output }] = [bundle].flat() as [Rolldown.RolldownOutput]
    script = output[0].code
  })
  // A page with our content security policy and no script of its own.
  test.beforeEach(async ({ page }: { page: Page }) => {
    await page.goto('/no/such/page')
    await page.evaluate(`${script}; globalThis.${name} = ${name}`)
  })
}
