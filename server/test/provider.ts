import { type Fault, faults } from '#emulators/provider/faults.ts'
import { startProviderHost } from '#emulators/provider/host.ts'
import { validAnswers } from './answers.ts'
import { type Site, testSite } from './site.ts'

/** As long as a busy machine may take for an answer that does come. */
const PATIENT_SECONDS = 30
const isSlow = (fault: Fault | undefined) => /silence|late|endless/.test((fault && faults[fault].wire) ?? '')

/** A site in front of an emulated API host. It waits a second for one that is made slow. */
export async function providerSite(env: Record<string, string> = {}) {
  const host = await startProviderHost()
  const site = await testSite({
    PROVIDER_API_URL: host.url,
    PROVIDER_OFFICE_HOSTS: 'office.host.example',
    PROVIDER_DEADLINE: String(PATIENT_SECONDS),
    ...env,
  })
  let count = 0
  const fail = (fault: Fault | undefined) => {
    Object.assign(site.world.config, { PROVIDER_DEADLINE: isSlow(fault) ? 1 : PATIENT_SECONDS })
    host.fail(fault)
  }
  return {
    ...site,
    host: { ...host, fail },
    /** A form as the page sends it, for a new person. */
    form: async (changes: Record<string, string> = {}): Promise<Record<string, string>> => ({
      ...validAnswers(`zoe${++count}`),
      captcha: await site.captcha(),
      ...changes,
    }),
    /** The lines of the log about the host. */
    hostLines: () => linesOf(site),
    async close() {
      await site.close()
      await host.close()
    },
  }
}
export type ProviderSite = Awaited<ReturnType<typeof providerSite>>

type Line = { msg: string; path?: string; why?: string; reference?: string }

const linesOf = (site: Site): Line[] =>
  site
    .log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => /API host/.test(msg))
