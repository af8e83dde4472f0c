// npm run screens: takes the screenshots in docs/screens from the real site, with the demo's year of business behind it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './child.mjs'
import { buildWeb, prepare } from './prepare.mjs'

const { node } = await prepare({ forDevelopment: true })
await buildWeb({ node })
const folder = mkdtempSync(join(tmpdir(), 'foyer-screens-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.exitCode =
  (await run(node, ['demo/main.ts', '--stop'], { env: { DATA_DIR: folder } })) ||
  (await run(node, ['node_modules/@playwright/test/cli.js', 'test', 'e2e/screens.spec', '--workers=1'], {
    env: { SCREENS: '1', SITE_FOLDER: join(folder, 'demo') },
  }))
