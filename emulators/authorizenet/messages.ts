/** For tests: what the vendor's requests and responses have in common. */

export type Body = Record<string, unknown> & {
  transId?: string
  batchId?: string
  customerProfileId?: string
  customerPaymentProfileId?: string
}

export const message = (code: string, text: string) => ({
  messages: { resultCode: code.startsWith('I') ? 'Ok' : 'Error', message: [{ code, text }] },
})
export const ok = message('I00001', 'Successful.')
export const notFound = message('E00040', 'The record cannot be found.')
