import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '#server/config/config.ts'
import { createInvitation } from '#server/console/access/invitations.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { serve } from '#server/serve.ts'
import type { World } from '#server/world/world.ts'
import { clockFile, openSite } from './site.ts'
import { fullYear, makeYear } from './year.ts'

const YEAR_MS = 365 * 86_400_000

const USAGE = `npm run demo -- [--new] [--stop]

  --new     make the year again
  --stop    make it, and do not start the site`

/** npm run demo: the site with a year of business behind it. */
async function main(args: string[]) {
  const unknown = args.find((arg) => arg !== '--new' && arg !== '--stop')
  if (unknown) throw new OperatorError(`There is no option '${unknown}'.\n\n${USAGE}`)
  const { production, embedded, DATA_DIR } = readConfig()
  if (production || embedded.length < 4)
    throw new OperatorError(
      'The demo runs on its own database and stand-ins. Unset NODE_ENV and the settings of real parts.',
    )
  const folder = join(DATA_DIR, 'demo')
  if (args.includes('--new')) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(folder)) await make(folder)
  if (args.includes('--stop')) return
  await serve({ config: readConfig({ ...process.env, DATA_DIR: folder }), consoleLink: ownerLink })
}

/** A new link with every start: whoever tries the demo again may have lost the passkey of the last time. */
async function ownerLink(world: World): Promise<string> {
  const { length } = await world.db.selectFrom('staff').select('id').where('email', 'like', 'you%').execute()
  const email = `you${length || ''}@staff.example`
  return createInvitation(world, { email, role: 'owner', actor: { id: null, role: 'command line' } })
}

/** In a folder of its own until it is complete, so that an interrupted start begins again. */
async function make(folder: string) {
  const started = new Date()
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  console.log('Foyer: making a year of business (once, under a minute) …')
  const site = await openSite(unfinished, new Date(started.getTime() - YEAR_MS))
  await makeYear(site, started, fullYear, (text) => console.log(`Foyer: ${text}`)).finally(() => site.close())
  rmSync(clockFile(unfinished)) // from here on, the clock of this computer
  renameSync(unfinished, folder)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(explainError(error) ?? error)
  process.exit(1)
})
