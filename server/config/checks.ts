import { unsafeDevelopment } from './development.ts'
import { unsafeProduction } from './production.ts'
import { checkProvider } from './provider.ts'
import { type Env, isSecretFile, isSet } from './secret-files.ts'
import { type Settings, settings } from './settings.ts'

/** What is wrong with settings that are valid one by one. A setting whose own rule failed is undefined here. */
export function checkTogether(values: Partial<Settings>, embedded: string[], env: Env): string[] {
  return [
    ...unknownNames(env),
    ...incompleteVendors(values, env),
    ...samePorts(values),
    ...checkProvider(values, env),
    ...(values.NODE_ENV === 'production' ? unsafeProduction(values, embedded, env) : unsafeDevelopment(values)),
  ]
}

const OUR_PREFIXES =
  /^(?:OPERATOR_|SUPPORT_|REFUND_|LIMIT_|CLOSING_|PAYMENTS_|MINIMUM_|HSTS_|BREAKER_|CAPTCHA_|PAYMENT_|AUTHORIZENET_|PHONE_|PROVIDER_|TWILIO_|HASHES_|MAIL_|OPS_|UNSAFE_|DATABASE_(?!URL_TEST))/

/** A mistyped name would otherwise be a setting that silently does nothing. */
const unknownNames = (env: Env): string[] =>
  Object.keys(env)
    .filter((name) => !(name in settings) && !isSecretFile(name))
    .flatMap((name) => {
      if (name.replace(/_FILE$/, '') in settings) return [`${name} is not a setting: only secrets are read from files`]
      const suggestion = Object.keys(settings).find((setting) => isTypo(name, setting))
      if (suggestion) return [`${name} is not a setting. Did you mean ${suggestion}?`]
      return OUR_PREFIXES.test(name) ? [`${name} is not a setting`] : []
    })

/** Short names resemble too many variables of other programs: EMAIL is not MAIL. */
const TOO_SHORT_FOR_TYPOS = 4

/** Whether one character is wrong, missing or too many, or two neighbors are swapped. */
function isTypo(name: string, setting: string): boolean {
  if (setting.length <= TOO_SHORT_FOR_TYPOS) return false
  const shorter = Math.min(name.length, setting.length)
  let prefix = 0
  while (prefix < shorter && name[prefix] === setting[prefix]) prefix++
  let suffix = 0
  while (suffix < shorter - prefix && name.at(-1 - suffix) === setting.at(-1 - suffix)) suffix++
  const middle = (text: string) => text.slice(prefix, text.length - suffix)
  const [typed, meant] = [middle(name), middle(setting)]
  return (typed.length <= 1 && meant.length <= 1) || (typed.length === 2 && typed === [...meant].reverse().join(''))
}

const vendors = [
  {
    setting: 'PAYMENT',
    byDefault: 'sandbox',
    keys: ['AUTHORIZENET_LOGIN_ID', 'AUTHORIZENET_TRANSACTION_KEY', 'AUTHORIZENET_BASE_URL'],
  },
  { setting: 'PHONE', byDefault: 'sandbox', keys: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_SERVICE_SID'] },
  { setting: 'CAPTCHA', byDefault: 'altcha', keys: ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'] },
] as const

/** A vendor needs all of its keys, and keys without their vendor would silently do nothing. */
const incompleteVendors = (values: Partial<Settings>, env: Env): string[] =>
  vendors.flatMap(({ setting, byDefault, keys }) => {
    const vendor = values[setting]
    if (vendor && vendor !== byDefault && vendor !== 'off')
      return keys.filter((key) => !isSet(env, key)).map((key) => `${key} is required with ${setting}=${vendor}`)
    const unusedKey = keys.find((key) => isSet(env, key))
    return unusedKey && !isSet(env, setting)
      ? [`${setting} is required with ${unusedKey}: the default, ${byDefault}, does not use it`]
      : []
  })

const samePorts = ({ PORT, OPS_PORT }: Partial<Settings>): string[] =>
  OPS_PORT !== undefined && OPS_PORT === PORT ? ['OPS_PORT must differ from PORT'] : []
