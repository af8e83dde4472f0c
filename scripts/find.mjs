import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these commands that is on the PATH. */
export const findCommand = (...names) =>
  names
    .flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path))

/** Full Chromium builds, as people use them. */
const fullBuilds = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** CHROMIUM_PATH, or an installed browser. The headless shell does a third less work per page. */
export const findChromium = ({ headlessShell = false } = {}) =>
  process.env.CHROMIUM_PATH ?? findCommand(...(headlessShell ? ['chromium-headless-shell'] : []), ...fullBuilds)

/** A full build if there is one; CHROMIUM_PATH may name the headless shell. */
export const findFullChromium = () => findCommand(...fullBuilds) ?? findChromium()

/** The browser packages that the tests still need; none when CHROMIUM_PATH is set. */
export const missingBrowsers = () =>
  process.env.CHROMIUM_PATH
    ? []
    : [!findChromium() && 'chromium', !findCommand('chromium-headless-shell') && 'chromium-headless-shell'].filter(
        Boolean,
      )

// Root cannot use the sandbox. The other flags keep Chromium from calling home, which a closed network refuses.
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** FIREFOX_PATH, or an installed Firefox. */
export const findFirefox = () => process.env.FIREFOX_PATH ?? findCommand('firefox-esr', 'firefox')

/** WebKitGTK's driver and its small browser, with the virtual screen that they need. */
export const findWebKit = () => {
  const driver = findCommand('WebKitWebDriver')
  const browser = ['x86_64', 'aarch64']
    .map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path))
  return driver && browser && findCommand('Xvfb') ? { driver, browser } : undefined
}

/** The packages that the journeys in Firefox and WebKit still need. */
export const missingEngines = () => [
  ...(findFirefox() ? [] : ['firefox-esr']),
  ...(findWebKit() ? [] : ['webkit2gtk-driver', 'xvfb']),
]
