import { toAmount, toCents } from '#contract/money.ts'
import { MASTER } from '#contract/site.ts'
import type { Config } from '#server/config/config.ts'
import { OperatorError } from '#server/operator-error.ts'
import { clock } from '#server/world/world.ts'
import { type Complaint, createAsk } from './calls.ts'
import { openCatalog } from './catalog.ts'
import { openHost } from './host.ts'

/** Asks the host for what a page shows. Writes nothing there. */
export async function checkHost(config: Config): Promise<string> {
  const host = openHost(config)
  const problems = new Set<string>()
  const log = { warn: ({ path, why }: Complaint) => void problems.add(`${path}: ${why}`) }
  const world = { config, log, now: clock }
  const catalog = openCatalog(world, createAsk(host, world))
  const known = await Promise.allSettled([catalog.sponsor(MASTER), catalog.packages(), catalog.documents()])
  host.close()
  const [sponsor, packages, documents] = known
  if (sponsor.status === 'fulfilled' && sponsor.value?.site !== MASTER) problems.add(`there is no sponsor '${MASTER}'`)
  if (packages.status === 'fulfilled' && !packages.value.length)
    problems.add('there are no packages of this category and language')
  if (problems.size || packages.status === 'rejected' || documents.status === 'rejected')
    throw new OperatorError(`PROVIDER_API_URL=${config.PROVIDER_API_URL}: ${[...problems].join('; ')}.`)
  const prices = packages.value.map(({ price }) => toCents(price) ?? 0)
  return `${host.name} answers: ${packages.value.length} packages from $${toAmount(Math.min(...prices))}, ${documents.value.length} documents.`
}
