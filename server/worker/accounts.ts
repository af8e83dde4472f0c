import type { AccountCheck, Accounts } from '#server/gateways/account.ts'
import type { World } from '#server/world/world.ts'

const DEADLINE_MS = 20_000
const RETRY_MS = 5 * 60_000

type Gateways = Pick<World, 'payment' | 'sms' | 'mail'>
type Part = Accounts extends Map<infer Name, unknown> ? Name : never

/** Asks a vendor whether it accepts our credentials. Charges and sends nothing. */
export const accountChecks: Record<Part, (gateways: Gateways) => Promise<AccountCheck>> = {
  payment: ({ payment }) => payment.checkAccount(AbortSignal.timeout(DEADLINE_MS)),
  phone: ({ sms }) => sms.checkAccount(),
  mail: ({ mail }) => mail.checkAccount(),
}
const parts = Object.keys(accountChecks) as Part[]

/**
 * Asks every vendor once, for /readyz and the log. The start neither waits for it nor fails by it, because a vendor may be
 * down. One that does not answer is asked again later.
 */
export async function watchAccounts(world: World): Promise<void> {
  await checkAccounts(world)
  const isUnknown = parts.some((part) => world.accounts.get(part)?.state === 'unknown')
  if (isUnknown) setTimeout(() => void watchAccounts(world), RETRY_MS).unref()
}

/** Fills in what is not known yet. */
export async function checkAccounts({ accounts, log, ...gateways }: Gateways & Pick<World, 'accounts' | 'log'>) {
  const open = parts.filter((part) => (accounts.get(part)?.state ?? 'unknown') === 'unknown')
  await Promise.all(
    open.map(async (part) => {
      const check = await accountChecks[part](gateways).catch(failed)
      accounts.set(part, check)
      if (check.state === 'wrong') log.error({ part }, check.why)
      if (check.state === 'unknown') log.warn({ part }, check.why)
    }),
  )
}

const failed = (error: Error): AccountCheck => ({ state: 'unknown', why: `It could not be asked: ${error.message}.` })
