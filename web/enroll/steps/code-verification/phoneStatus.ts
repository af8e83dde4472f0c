import { figures } from '#contract/figures.ts'
import { loadPhones, type PhoneStatus, type PhoneStatuses, savePhones } from '#web/storage.ts'

// Kept in the page as well, for a browser that blocks storage.
let phones: PhoneStatuses | undefined

/** What this tab knows of a phone number. */
export function phoneOf(mobile_phone: string): PhoneStatus {
  phones ??= loadPhones()
  return phones[mobile_phone] ?? {}
}

/** Adds what was just heard of a number, and tells all that is known of it now. */
function note(mobile_phone: string, news: PhoneStatus): PhoneStatus {
  const known = { ...phoneOf(mobile_phone), ...news }
  phones = { ...phones, [mobile_phone]: known }
  savePhones(phones)
  return known
}

/**
 * A code is on its way; the countdown runs from here, also for a tab that sleeps or is loaded again. Other numbers are
 * forgotten, as the server does: a code belongs to one.
 */
export function noteSent(mobile_phone: string, left: number = figures.resend_seconds): PhoneStatus {
  phones = { [mobile_phone]: phoneOf(mobile_phone) }
  return note(mobile_phone, { sent_at: Date.now() - (figures.resend_seconds - left) * 1000 })
}

/** The number is confirmed, and is not asked again while it stays as it is. */
export const noteVerified = (mobile_phone: string): PhoneStatus => note(mobile_phone, { verified: true })

/** The server does not know of it, whatever this tab believes: begin again, with a new code. */
export const noteUnverified = (mobile_phone: string): PhoneStatus =>
  note(mobile_phone, { verified: false, sent_at: undefined })

export const isVerified = (mobile_phone: string): boolean => phoneOf(mobile_phone).verified === true

/** Whole seconds until a new code may be asked for. A clock that was turned meanwhile, either way, only shortens it. */
export function secondsLeft(sent_at: number | undefined, now: number): number {
  if (sent_at === undefined) return 0
  const passed = Math.abs(now - sent_at) / 1000
  return Math.max(0, Math.ceil(figures.resend_seconds - passed))
}
