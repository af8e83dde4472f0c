import { isLoopback, isLoopbackHost } from './rules.ts'
import type { Settings } from './settings.ts'

/**
 * Outside production, SECRET is public and pages show codes and emails: fine on this machine, and nowhere else. A captcha
 * vendor is allowed: it charges nobody and sends nothing, and vendors have keys for development.
 */
export const unsafeDevelopment = (values: Partial<Settings>): string[] => [
  ...(values.UNSAFE_DEVELOPMENT_ON_NETWORK ? [] : onNetwork(values)),
  ...realVendors(values),
]

function onNetwork({ HOST, OPS_PORT, OPS_HOST, PUBLIC_URL, SITE_HOSTS = [] }: Partial<Settings>): string[] {
  const hosts = [
    { setting: 'HOST', value: HOST, host: HOST },
    { setting: 'OPS_HOST', value: OPS_HOST, host: OPS_PORT && OPS_HOST },
    { setting: 'PUBLIC_URL', value: PUBLIC_URL, host: PUBLIC_URL && new URL(PUBLIC_URL).hostname },
    ...SITE_HOSTS.map((value) => ({ setting: 'SITE_HOSTS', value, host: new URL(`http://${value}`).hostname })),
  ]
  return hosts
    .filter(({ host }) => host && !isLoopbackHost(host) && !host.endsWith('.test')) // names in .test are never public
    .map(
      ({ setting, value }) =>
        `${setting}=${value} needs NODE_ENV=production: otherwise everyone on the network could read codes and emails. ` +
        'To show a development site there anyway, set UNSAFE_DEVELOPMENT_ON_NETWORK=on',
    )
}

/** A vendor on this machine is a stand-in for tests. A missing address is reported elsewhere. */
function realVendors(values: Partial<Settings>): string[] {
  const { PAYMENT = 'sandbox', AUTHORIZENET_BASE_URL, PHONE = 'sandbox', TWILIO_BASE_URL, MAIL = 'outbox' } = values
  const vendors: [setting: string, url: string | undefined][] = [
    [`PAYMENT=${PAYMENT}`, PAYMENT === 'sandbox' ? undefined : AUTHORIZENET_BASE_URL],
    [`PHONE=${PHONE}`, PHONE === 'sandbox' ? undefined : TWILIO_BASE_URL],
    ['MAIL', MAIL === 'outbox' ? undefined : MAIL],
    ['PROVIDER_API_URL', values.PROVIDER_API_URL],
  ]
  return vendors
    .filter(([, url]) => url !== undefined && !isLoopback(url))
    .map(([setting]) => `${setting} needs NODE_ENV=production: a development site reaches only vendors on this machine`)
}
