import type { Db } from '#server/db/db.ts'
import type { SmsGateway } from './port.ts'
import { sandboxSms } from './sandbox.ts'
import { twilioVerify } from './twilio/twilio.ts'

type Settings = {
  PHONE: 'sandbox' | 'twilio'
  TWILIO_ACCOUNT_SID: string | undefined
  TWILIO_AUTH_TOKEN: string | undefined
  TWILIO_SERVICE_SID: string | undefined
  TWILIO_BASE_URL: string
}
type Parts = {
  db: Db
  now: () => Date
  hmacs: (text: string) => string[]
  host: string
  log: { error: (details: object, message: string) => void }
}

/** Opens the phone gateway chosen in the settings. */
export function openSmsGateway(settings: Settings, { log, ...parts }: Parts): SmsGateway {
  if (settings.PHONE === 'twilio')
    return twilioVerify({
      account_sid: settings.TWILIO_ACCOUNT_SID ?? '',
      auth_token: settings.TWILIO_AUTH_TOKEN ?? '',
      service_sid: settings.TWILIO_SERVICE_SID ?? '',
      base_url: settings.TWILIO_BASE_URL,
      log,
    })
  return sandboxSms(parts)
}
