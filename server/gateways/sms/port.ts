/** Who sends codes to phones and knows whether one is right. */
export type SmsGateway = {
  name: string
  send: (mobile_phone: string, channel: 'sms' | 'call') => Promise<Sending>
  check: (mobile_phone: string, code: string) => Promise<Checking>
}

/** unreachable: this number cannot be reached that way. unknown: the vendor did not answer. */
export type Sending = 'sent' | 'unreachable' | 'unknown'

/** gone: expired, used, or tried too often; a new code is needed. */
export type Checking = 'right' | 'wrong' | 'gone' | 'unknown'
