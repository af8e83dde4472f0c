import type { fields } from '#contract/fields.ts'
import type { OrderList } from '#contract/packages.ts'

/** What an answer is called, from the form's field to the payload. */
export type FieldName = keyof typeof fields | OrderList

/** What the visitor has answered so far, by field. In memory it may hold secrets; stored it never does. */
export type Draft = Partial<Record<FieldName, string>>

/** The answers that outlive a reload. Never a password, a card, a code, a trap or an agreement: add with care. */
const storedFields = [
  ['product_ids', 'autoship_product_ids', 'special_product_ids'],
  ['first_name', 'last_name', 'business_name', 'mobile_phone', 'email', 'username'],
  ['country', 'address', 'address2', 'city', 'state', 'post_code'],
  [
    'is_shipping_different',
    'ship_address',
    'ship_address2',
    'ship_city',
    'ship_country',
    'ship_state',
    'ship_zip_code',
  ],
].flat() as readonly FieldName[]

const DRAFT = 'foyer.draft'
const DIAL_COUNTRY = 'foyer.dial_country'
const TOKEN = 'foyer.token'
const PHONES = 'foyer.phones'
const RECEIPT = 'foyer.receipt'

/** The draft belongs to the tab: two sponsors in two tabs do not mix, and a closed tab forgets. */
export const loadDraft = (): Draft => onlyKept(parsed(read(tab, DRAFT)))
export const saveDraft = (draft: Draft): void => write(tab, DRAFT, JSON.stringify(onlyKept(draft)))
export const forgetDraft = (): void => {
  write(tab, DRAFT, undefined)
  write(tab, PHONES, undefined)
}

/** What the tab knows of a phone number: when a code last went to it, and whether it was confirmed. Never the code. */
export type PhoneStatus = { sent_at?: number | undefined; verified?: boolean }
export type PhoneStatuses = Record<string, PhoneStatus>

export const loadPhones = (): PhoneStatuses =>
  Object.fromEntries(Object.entries(parsed(read(tab, PHONES))).map(([phone, known]) => [phone, onlyKnown(known)]))
export const savePhones = (phones: PhoneStatuses): void => write(tab, PHONES, JSON.stringify(phones))

/** What is being paid for, or was: nothing of the card. */
export type Receipt = {
  enrollment_id: string
  attempt: number
  pressed_at: number
  lines: { name: string; price: string }[]
  total: string
  paid_on: string
  renews_on: string
  sponsor: string
  first_name: string
  email: string
  /** Its visitor was told that it is being checked, and not yet how that ended. */
  is_awaited?: true
}

/** Kept by the tab from the press on Confirm and Pay, so that a reload finds back to what became of it. */
export const loadReceipt = (): Receipt | undefined => {
  const found = parsed(read(tab, RECEIPT))
  return Array.isArray(found.lines) ? (found as Receipt) : undefined
}
export const saveReceipt = (receipt: Receipt | undefined): void =>
  write(tab, RECEIPT, receipt && JSON.stringify(receipt))

/** The country of the dial code that was chosen last, as an ISO code. */
export const loadDialCountry = (): string | undefined => read(browser, DIAL_COUNTRY)
export const saveDialCountry = (code: string): void => write(browser, DIAL_COUNTRY, code)

/** The grant that opens the office, as the spec asks for it. */
export const saveToken = (token: string): void => write(browser, TOKEN, token)

/** Who signs out leaves nothing here of having joined, and nothing that was typed for it. */
export const forgetMember = (): void => {
  forgetDraft()
  saveReceipt(undefined)
  write(browser, TOKEN, undefined)
}

function onlyKept(found: Record<string, unknown>): Draft {
  const answers = storedFields.map((name) => [name, found[name]] as const)
  return Object.fromEntries(answers.filter(([, answer]) => typeof answer === 'string'))
}

function onlyKnown(found: unknown): PhoneStatus {
  const { sent_at, verified } = Object(found)
  return { ...(Number.isFinite(sent_at) ? { sent_at } : {}), ...(verified === true ? { verified } : {}) }
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? '{}'))
  } catch {
    return {}
  }
}

// Even naming the storage throws where a browser blocks it, so it is named inside the try.
const tab = () => sessionStorage
const browser = () => localStorage

function read(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function write(storage: () => Storage, key: string, text: string | undefined) {
  try {
    if (text === undefined) storage().removeItem(key)
    else storage().setItem(key, text)
  } catch {
    // Blocked or full: the answers live on in the page.
  }
}
