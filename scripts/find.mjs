import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these commands that the machine has. */
export const findCommand = (...names) =>
  names
    .flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path))

/** With its windows, and with all that it keeps of a visit. */
const whole = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser that this machine is told, or its own one. Without its windows it has a third less to do. */
export const findChromium = ({ windowless = false } = {}) =>
  process.env.CHROMIUM_PATH ?? findCommand(...(windowless ? ['chromium-headless-shell'] : []), ...whole)

/** The one that people have, if there is one. What is told may be the other. */
export const findWholeChromium = () => findCommand(...whole) ?? findChromium()

/** The packages that a test still needs. Who tells the browser needs none. */
export const missingBrowsers = () =>
  process.env.CHROMIUM_PATH
    ? []
    : [!findChromium() && 'chromium', !findCommand('chromium-headless-shell') && 'chromium-headless-shell'].filter(
        Boolean,
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
