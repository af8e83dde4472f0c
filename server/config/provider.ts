import { Enrollment } from '#contract/enrollment.ts'
import { type Env, isSecretFile, isSet } from './secret-files.ts'
import { type Settings, settings } from './settings.ts'

/** The settings of a site in front of an operator's API host: the required ones, and none that would have no effect. */
export function checkProvider(values: Partial<Settings>, env: Env): string[] {
  const names = Object.keys(env).filter((name) => /^PROVIDER_/.test(name) && (name in settings || isSecretFile(name)))
  if (!isSet(env, 'PROVIDER_API_URL'))
    return names
      .filter((name) => isSet(env, name))
      .map((name) => `PROVIDER_API_URL is required with ${name}: the API host that the site runs in front of`)
  return [...missingOfficeHosts(env), ...unusedVendors(values), ...sentFields(values), ...plainHost(values)]
}

const missingOfficeHosts = (env: Env): string[] =>
  isSet(env, 'PROVIDER_OFFICE_HOSTS')
    ? []
    : ['PROVIDER_OFFICE_HOSTS is required with PROVIDER_API_URL: the hosts that a new member may be sent to']

/** Settings that would have no effect. */
const unusedVendors = ({ PAYMENT, PAYMENT_SANDBOX_URL, PHONE }: Partial<Settings>): string[] => [
  ...(PAYMENT && PAYMENT !== 'sandbox' ? [unused(`PAYMENT=${PAYMENT}`, 'the API host charges the cards')] : []),
  ...(PAYMENT_SANDBOX_URL ? [unused('PAYMENT_SANDBOX_URL', 'the API host charges the cards')] : []),
  ...(PHONE && PHONE !== 'sandbox' ? [unused(`PHONE=${PHONE}`, 'the API host sends the codes')] : []),
]
const unused = (setting: string, why: string) => `${setting} cannot be used with PROVIDER_API_URL: ${why}`

const sentFields = ({ PROVIDER_HIDDEN_FIELDS = {} }: Partial<Settings>): string[] =>
  Object.keys(PROVIDER_HIDDEN_FIELDS)
    .filter((field) => field in Enrollment.shape)
    .map((field) => `PROVIDER_HIDDEN_FIELDS must not name ${field}: the form sends it`)

/** On this machine, a trial of production may do without TLS, as everywhere. */
const plainHost = ({ NODE_ENV, PUBLIC_URL, PROVIDER_API_URL }: Partial<Settings>): string[] =>
  NODE_ENV === 'production' && PROVIDER_API_URL?.startsWith('http:') && !PUBLIC_URL?.startsWith('http:')
    ? ['PROVIDER_API_URL must start with https:// in production: cards and passwords are sent there']
    : []
