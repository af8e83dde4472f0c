import type { Db } from '#server/db/db.ts'
import { altcha } from './altcha.ts'
import type { CaptchaGateway } from './port.ts'
import { type Log, siteverify } from './siteverify.ts'
import { type VendorName, vendorAt } from './vendors.ts'

type Settings = {
  CAPTCHA: 'altcha' | 'off' | VendorName
  production: boolean
  CAPTCHA_SITE_KEY: string | undefined
  CAPTCHA_SECRET: string | undefined
  CAPTCHA_BASE_URL: string | undefined
  CAPTCHA_COST: number
  CAPTCHA_COUNTER: number
  SITE_HOSTS: string[]
}
type Parts = { db: Db; now: () => Date; log: Log & { warn: (text: string) => void }; secrets: () => Buffer[] }

/** Opens the captcha gateway chosen in the settings. */
export function openCaptchaGateway(settings: Settings, { db, now, log, secrets }: Parts): CaptchaGateway {
  const { CAPTCHA, CAPTCHA_SITE_KEY = '', CAPTCHA_SECRET = '' } = settings
  if (CAPTCHA === 'altcha')
    return altcha({ db, now, secrets, cost: settings.CAPTCHA_COST, counter: settings.CAPTCHA_COUNTER })
  if (CAPTCHA === 'off') {
    if (settings.production) log.warn(CAPTCHA_OFF)
    return off
  }
  return siteverify({
    name: CAPTCHA,
    vendor: vendorAt(CAPTCHA, settings.CAPTCHA_BASE_URL),
    site_key: CAPTCHA_SITE_KEY,
    secret: CAPTCHA_SECRET,
    hosts: settings.SITE_HOSTS.map((host) => new URL(`http://${host}`).hostname),
    db,
    now,
    log,
  })
}

export const CAPTCHA_OFF = 'CAPTCHA=off: only the limits and breakers stop bots.'

/** Callers send no solution, and pages show no box. */
const off: CaptchaGateway = { name: 'off', isOff: true, challenge: async () => ({}), verify: async () => true }
