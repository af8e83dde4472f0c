import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Drills that are tried inside the test, on a database. */
const drillsOnDatabase = ['drill/fault-injection/*.test.ts']

const onDatabase = (database: 'embedded' | 'postgres') => ({
  test: {
    name: database,
    alias: [{ find: /^@node-rs\/argon2$/, replacement: join(import.meta.dirname, 'server/test/quick-argon2.ts') }],
    include: ['{server,demo}/**/*.test.ts', ...drillsOnDatabase],
    exclude: ['**/*.unit.test.ts'],
    env: { TEST_DB: database },
    globalSetup: './server/test/prepare.ts',
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3, // a tenth faster than 2 on two cores
    execArgv: ['--liftoff-only'], // the embedded database is WebAssembly, and optimizing it takes longer than these tests use it
    isolate: false, // test files clean up what they share; loading every module again for each file took a third of the time
    testTimeout: 120_000, // a busy machine is slow, not wrong
    expect: { poll: { timeout: 60_000, interval: 20 } }, // the same
    hookTimeout: 180_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{contract,web,conformance}/**/*.test.{ts,tsx}',
            'drill/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'server/**/*.unit.test.ts',
          ],
          exclude: drillsOnDatabase,
        },
      },
      onDatabase('embedded'),
      onDatabase('postgres'),
      {
        test: {
          name: 'engines',
          include: ['e2e/engines/*.test.ts'],
          globalSetup: './e2e/engines/sites.ts',
          testTimeout: 120_000, // as above,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
})
