import { figures } from '#contract/figures.ts'
import { type PhoneStatus, type PhoneStatuses, savePhones } from '#web/storage.ts'

/** The part of the wizard that stores phone numbers. */
export type PhoneStore = {
  getState: () => { phones: PhoneStatuses }
  update: (change: { phones: PhoneStatuses }) => void
}

/** What this tab knows about a phone number. */
export const phoneStatus = (store: PhoneStore, mobile_phone: string): PhoneStatus =>
  store.getState().phones[mobile_phone] ?? {}

function savePhone(store: PhoneStore, mobile_phone: string, change: PhoneStatus, others: PhoneStatuses) {
  const phones = { ...others, [mobile_phone]: { ...phoneStatus(store, mobile_phone), ...change } }
  savePhones(phones)
  store.update({ phones })
}

/**
 * A code was sent: starts the countdown, which continues after a reload. Forgets all other numbers, as the server does,
 * because a code belongs to one number.
 */
export const noteSent = (store: PhoneStore, mobile_phone: string, secondsLeft: number = figures.resend_seconds): void =>
  savePhone(store, mobile_phone, { sent_at: Date.now() - (figures.resend_seconds - secondsLeft) * 1000 }, {})

export const noteVerified = (store: PhoneStore, mobile_phone: string): void =>
  savePhone(store, mobile_phone, { verified: true }, store.getState().phones)

/** The server says that the number is not verified: start again with a new code. */
export const noteUnverified = (store: PhoneStore, mobile_phone: string): void =>
  savePhone(store, mobile_phone, { verified: false, sent_at: undefined }, store.getState().phones)

/** Whole seconds until a new code may be requested. Changing the clock in either direction only shortens the wait. */
export function secondsUntilResend(sent_at: number | undefined, now: number): number {
  if (sent_at === undefined) return 0
  const elapsed = Math.abs(now - sent_at) / 1000
  return Math.max(0, Math.ceil(figures.resend_seconds - elapsed))
}
