import type { TestProject } from 'vitest/node'
import { type Cleanups, preparePostgres, startSite } from '../start-sites.ts'

/**
 * Starts a site for each engine, so that it can count its own payments and advance its own clock, and one that verifies phones.
 * Theirs are on the embedded database, as after `npm start`; all other journeys are on PostgreSQL.
 */
export default async function startSites(project: TestProject) {
  const cleanups: Cleanups = []
  const stopAll = async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
  try {
    const { newDatabase } = await preparePostgres(cleanups)
    const [Firefox, WebKit, withPhoneCodes] = await Promise.all([
      startSite({}, cleanups),
      startSite({}, cleanups),
      startSite({ PHONE_VERIFICATION: 'on', ...(await newDatabase('phone_codes')) }, cleanups),
    ])
    project.provide('sites', { Firefox, WebKit, withPhoneCodes })
  } catch (error) {
    await stopAll()
    throw error
  }
  return stopAll
}

declare module 'vitest' {
  interface ProvidedContext {
    sites: { Firefox: string; WebKit: string; withPhoneCodes: string }
  }
}
