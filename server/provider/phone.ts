import type { SmsGateway } from '#server/gateways/sms/port.ts'
import type { Verification } from './answers.ts'
import type { Answer, Ask } from './calls.ts'

/** Phone codes through the host. It sends and checks them; the limits are ours. */
export const phoneAtHost = (ask: Ask): SmsGateway => ({
  name: 'provider',
  async send(mobile_phone, channel) {
    const answer =
      channel === 'sms'
        ? await ask('sendCode', { phone_number: mobile_phone })
        : await ask('sendCall', { cellphone: mobile_phone })
    const said = wordsOf(answer, 'Error sending verification code')
    return said ?? (answer.is === 'answer' ? 'sent' : 'unknown')
  },
  async check(mobile_phone, code) {
    const answer = await ask('verifyCode', { phone_number: mobile_phone, code })
    const said = wordsOf(answer, 'An error occurred while verifying the code.')
    return said ?? (answer.is === 'answer' ? 'right' : 'unknown')
  },
  checkAccount: async () => ({ state: 'ok' }),
})

/** The host's refusal; undefined if it accepted or didn't answer. */
function wordsOf(answer: Answer<Verification>, otherwise: string): { says: string } | undefined {
  if (answer.is === 'answer') return answer.value.isDone ? undefined : { says: answer.value.message || otherwise }
  return answer.is === 'refused' && answer.message ? { says: answer.message } : undefined
}
