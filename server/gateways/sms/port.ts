/** Who sends codes to phones and knows whether one is right. */
export type SmsGateway = {
  name: string
  send: (mobile_phone: string, channel: 'sms' | 'call') => Promise<SendResult>
  check: (mobile_phone: string, code: string) => Promise<CheckResult>
}

/**
 * unreachable: not by this channel, another one may reach it. too_often: the vendor wants ten minutes of rest for this
 * number. blocked: no code goes to this number or its country. impossible: no such number. unknown: the vendor did not
 * answer, or not in a way that can be understood; the code may have been sent.
 */
export type SendResult = 'sent' | 'unreachable' | 'too_often' | 'blocked' | 'impossible' | 'unknown'

/**
 * gone: expired, used, or tried too often; a new code is needed. unknown: the vendor did not answer, and the code may
 * have been used up.
 */
export type CheckResult = 'right' | 'wrong' | 'gone' | 'unknown'
