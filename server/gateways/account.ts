/**
 * What a vendor says of our account. wrong: the operator has to fix a setting, and `why` says which. unknown: no answer, which
 * says nothing about the settings.
 */
export type AccountCheck = { state: 'ok' } | { state: 'wrong' | 'unknown'; why: string }

export const accountOk: AccountCheck = { state: 'ok' }

/** What the start has found out, by part. A part that has not answered yet is missing. */
export type Accounts = Map<'payment' | 'phone' | 'mail', AccountCheck>
