import { setTimeout as sleep } from 'node:timers/promises'
import type { Workspace } from '../../drill/site/workspace.ts'
import { withClient } from './database.ts'

/** Capture, welcome email and consent email. */
const JOBS_PER_ENROLLMENT = 3

/** How many enrollments still have open jobs, estimated from the number of jobs. */
export const countUnfinishedEnrollments = (database: Workspace): Promise<number> =>
  withClient(database, async (client) => {
    const { rows } = await client.query<{ jobs: string }>('select count(*) as jobs from job where done_at is null')
    return Math.ceil(Number(rows[0]?.jobs) / JOBS_PER_ENROLLMENT)
  })

export const waitForJobs = (database: Workspace): Promise<void> =>
  withClient(database, async (client) => {
    for (;;) {
      const { rows } = await client.query('select 1 from job where done_at is null limit 1')
      if (!rows.length) return
      await sleep(200)
    }
  })
