// npm run screens: takes the screenshots in docs/screens from the real site on a fresh database.
import { buildWeb, prepare, run } from './prepare.mjs'

const { node } = await prepare()
await buildWeb({ node })
process.exitCode = await run(node, ['node_modules/@playwright/test/cli.js', 'test', 'screens'], {
  env: { SCREENS: '1' },
})
