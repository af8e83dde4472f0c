import { defineConfig } from 'vitest/config'

const onDatabase = (database: 'embedded' | 'postgres') => ({
  test: {
    name: database,
    include: ['server/**/*.test.ts'],
    exclude: ['**/*.unit.test.ts'],
    env: { TEST_DB: database },
    globalSetup: './server/test/prepare.ts',
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3, // on two cores they take a tenth less time than two
    isolate: false, // what files share they hand over or leave as they found it; loading everything anew for each took a third of the time
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{contract,web}/**/*.test.{ts,tsx}',
            'drill/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'server/**/*.unit.test.ts',
          ],
        },
      },
      onDatabase('embedded'),
      onDatabase('postgres'),
    ],
  },
})
