// npm run screens: pictures of the screens for the docs, from the real site on an empty database.
import { buildWeb, prepare, run } from './prepare.mjs'

const { node } = await prepare()
await buildWeb({ node })
process.exitCode = await run(node, ['node_modules/@playwright/test/cli.js', 'test', 'screens'], {
  env: { SCREENS: '1' },
})
