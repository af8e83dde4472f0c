import { authorizeNetEmulator } from '#emulators/authorizenet/emulator.ts'
import { twilioEmulator } from '#emulators/twilio.ts'
import { freePort } from '../../scripts/port.mjs'

const card = { login_id: 'merchant-login', transaction_key: 'transactionkey16' }
const phone = {
  account_sid: `AC${'0123456789abcdef'.repeat(2)}`,
  auth_token: 'a token',
  service_sid: `VA${'fedcba9876543210'.repeat(2)}`,
}

/** Emulators of the two real gateways, and the settings that lead to them. */
export async function startVendors(now: () => Date) {
  const payments = await authorizeNetEmulator({ ...card, port: await freePort(), now })
  const codes = await twilioEmulator({ ...phone, port: await freePort(), now })
  return {
    payments,
    codes,
    settings: {
      PAYMENT: 'authorizenet',
      AUTHORIZENET_LOGIN_ID: card.login_id,
      AUTHORIZENET_TRANSACTION_KEY: card.transaction_key,
      AUTHORIZENET_BASE_URL: payments.url,
      PHONE: 'twilio',
      TWILIO_ACCOUNT_SID: phone.account_sid,
      TWILIO_AUTH_TOKEN: phone.auth_token,
      TWILIO_SERVICE_SID: phone.service_sid,
      TWILIO_BASE_URL: codes.url,
    },
    close: () => Promise.all([payments.close(), codes.close()]),
  }
}
