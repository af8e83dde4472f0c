import { Writable } from 'node:stream'
import { startProviderHost } from '#emulators/provider/host.ts'
import { startOwnSite } from './own-site.ts'
import { OFFICE_HOST } from './visitor.ts'

export const SUPPORT = 'help@host.example'
/** The stand-in takes this one. */
export const CODE = '135790'

type Line = { msg: string; reference?: string; why?: string; path?: string }

/** A site in front of a stand-in for an operator's API host, both in this process. */
export async function startProviderSite(settings: Record<string, string> = {}) {
  const host = await startProviderHost()
  const lines: Line[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n').filter(Boolean)) lines.push(JSON.parse(line))
      done()
    },
  })
  const site = await startOwnSite(
    {
      PROVIDER_API_URL: host.url,
      PROVIDER_OFFICE_HOSTS: OFFICE_HOST,
      OPERATOR_NAME: 'Lantern House',
      OPERATOR_ADDRESS: '1 Pier Road, Reno, NV 89501',
      SUPPORT_CONTACT: SUPPORT,
      ...settings,
    },
    sink,
  )
  return {
    ...site,
    host,
    /** What the log says about the enrollment with this reference. */
    logged: (reference: string) => lines.filter((line) => line.reference === reference).map(({ why }) => why),
    /** The reasons in the log since the last time. */
    async reasons() {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve))) // lines are written once per turn
      return lines.splice(0).flatMap(({ why }) => why ?? [])
    },
    async close() {
      await site.close()
      await host.close()
    },
  }
}
export type ProviderSite = Awaited<ReturnType<typeof startProviderSite>>
