import { join } from 'node:path'
import { authorizeNet } from './authorizenet/authorizenet.ts'
import { noPayments } from './none.ts'
import type { PaymentGateway } from './port.ts'
import { remoteSandbox } from './sandbox/remote.ts'
import { sandboxPayments } from './sandbox/sandbox.ts'

type Settings = {
  PAYMENT: 'sandbox' | 'authorizenet'
  PAYMENT_SANDBOX_URL: string | undefined
  PROVIDER_API_URL?: string | undefined
  DATA_DIR: string
  AUTHORIZENET_LOGIN_ID: string | undefined
  AUTHORIZENET_TRANSACTION_KEY: string | undefined
  AUTHORIZENET_BASE_URL: string | undefined
}

/** Opens the payment gateway chosen in the settings. */
export function openPaymentGateway(settings: Settings, now: () => Date): PaymentGateway {
  if (settings.PROVIDER_API_URL) return noPayments
  if (settings.PAYMENT === 'authorizenet')
    return authorizeNet({
      login_id: settings.AUTHORIZENET_LOGIN_ID ?? '',
      transaction_key: settings.AUTHORIZENET_TRANSACTION_KEY ?? '',
      base_url: settings.AUTHORIZENET_BASE_URL ?? '',
      now,
    })
  if (settings.PAYMENT_SANDBOX_URL) return remoteSandbox(settings.PAYMENT_SANDBOX_URL)
  return sandboxPayments(join(settings.DATA_DIR, 'sandbox-payments.jsonl'), now)
}
