import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these commands that the machine has. */
export const findCommand = (...names) =>
  names
    .flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path))

/** The machine's own browser, or the one that it is told. Without its windows it has a third less to do. */
export const findChromium = ({ windowless = false } = {}) =>
  process.env.CHROMIUM_PATH ??
  findCommand(
    ...(windowless ? ['chromium-headless-shell'] : []),
    ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  )

// Without a sandbox because root has none; the rest keeps Chromium from calling home, which a closed network refuses.
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
