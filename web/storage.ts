import type { fields } from '#contract/fields.ts'
import type { OrderList } from '#contract/packages.ts'

/** The name of an answer, from the form's field to the payload. */
export type FieldName = keyof typeof fields | OrderList

/** What the visitor has answered so far, by field. In memory it may contain secrets; stored it never does. */
export type Draft = Partial<Record<FieldName, string>>

/** The answers that survive a reload. Never add a password, card, code, honeypot or agreement. */
const storedFields = (
  'product_ids autoship_product_ids special_product_ids ' +
  'first_name last_name business_name mobile_phone email username ' +
  'country address address2 city state post_code ' +
  'is_shipping_different ship_address ship_address2 ship_city ship_country ship_state ship_zip_code'
).split(' ') as readonly FieldName[]

const DRAFT = 'foyer.draft'
const DIAL_COUNTRY = 'foyer.dial_country'
const TOKEN = 'foyer.token'
const RECEIPT = 'foyer.receipt'
const CONSOLE_DRAFTS = 'foyer.console_drafts'

const DAY_MS = 86_400_000

/** The enrollment that this page belongs to. */
export const enrollmentId = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name=enrollment]')?.content ?? ''

/** What the tabs of one browser share about one enrollment, for a day after the last change. */
type SharedDraft = { enrollment_id: string; saved_at: number; answers: unknown; phones: unknown; joined_as: string }

/** Empty if there is none, or it is too old, or another enrollment's. */
export const loadShared = (): Partial<SharedDraft> => {
  const shared: Partial<SharedDraft> = parseObject(read(browser, DRAFT))
  const age = Date.now() - Number(shared.saved_at)
  return shared.enrollment_id === enrollmentId() && age < DAY_MS ? shared : {}
}
export const saveShared = (shared: Partial<SharedDraft>): void =>
  write(browser, DRAFT, JSON.stringify({ ...shared, enrollment_id: enrollmentId(), saved_at: Date.now() }))

export const loadDraft = (): Draft => pickStoredFields(Object(loadShared().answers))

/**
 * Saves the answers that differ from `last`, which this tab has loaded or saved; another tab may have changed the others.
 * Nothing is saved after the payment. Returns the next `last`.
 */
export const saveDraft = (draft: Draft, last: Draft): Draft => {
  const shared = loadShared()
  const changes = changedAnswers(pickStoredFields(draft), last)
  if (shared.joined_as !== undefined || !Object.keys(changes).length) return last
  saveShared({ ...shared, answers: { ...last, ...Object(shared.answers), ...changes } })
  return { ...last, ...changes }
}
export const forgetDraft = (): void => write(browser, DRAFT, undefined)

/** The answers that differ. An empty one is the same as none. */
export const changedAnswers = (answers: Draft, last: Draft): Draft =>
  Object.fromEntries(Object.entries(answers).filter(([name, answer]) => answer !== (last[name as FieldName] ?? '')))

/** What this browser knows about a phone number. Never the code. */
export type PhoneStatus = { sent_at?: number | undefined; verified?: boolean }
export type PhoneStatuses = Record<string, PhoneStatus>

export const loadPhones = (): PhoneStatuses =>
  Object.fromEntries(
    Object.entries(Object(loadShared().phones)).map(([phone, status]) => [phone, parsePhoneStatus(status)]),
  )
export const savePhones = (phones: PhoneStatuses): void => saveShared({ ...loadShared(), phones })

/** What is being paid for, or was. Nothing about the card. */
export type Receipt = {
  enrollment_id: string
  attempt: number
  pressed_at: number
  lines: { name: string; price: string; is_recurring?: boolean; billing_interval?: string }[]
  total: string
  /** Undefined if an older version of the page stored it. */
  renewal_price?: string
  paid_on: string
  card?: { brand: string; last_four: string }
  renews_on: string
  sponsor: string
  first_name: string
  username?: string
  email: string
  /** An earlier payment of the same enrollment, whose outcome is unknown. */
  after_unknown?: string
  /** The visitor was told that the payment is being checked, but not yet how it ended. */
  is_awaited?: true
}

/**
 * Stored in the tab when Confirm and Pay is pressed, so that the page can look up the payment after a reload. Undefined if
 * it is another enrollment's.
 */
export const loadReceipt = (): Receipt | undefined => {
  const receipt: Partial<Receipt> = parseObject(read(tab, RECEIPT))
  return receipt.lines && receipt.enrollment_id === enrollmentId() ? (receipt as Receipt) : undefined
}
export const saveReceipt = (receipt: Receipt | undefined): void =>
  write(tab, RECEIPT, receipt && JSON.stringify(receipt))

/** The country of the last chosen dial code, as an ISO code. */
export const loadDialCountry = (): string | undefined => read(browser, DIAL_COUNTRY)
export const saveDialCountry = (code: string): void => write(browser, DIAL_COUNTRY, code)

/** The grant that opens the office. The spec wants it stored. */
export const saveToken = (token: string): void => write(browser, TOKEN, token)

/** For a sign-out: removes every trace of the member from this browser. */
export const forgetMember = (): void => {
  forgetDraft()
  saveReceipt(undefined)
  write(browser, TOKEN, undefined)
}

/** What a colleague has typed into a form of the console and not saved, and what the form showed before. */
export type ConsoleDraft = { version: string; values: Record<string, string>; typed: Record<string, string> }
type ConsoleDrafts = { staff_id?: string; forms?: Record<string, ConsoleDraft> }

const loadConsoleDrafts = (staff_id: string): Record<string, ConsoleDraft> => {
  const drafts: ConsoleDrafts = parseObject(read(tab, CONSOLE_DRAFTS))
  return drafts.staff_id === staff_id ? (drafts.forms ?? {}) : {}
}
/** Kept in the tab, for the colleague who typed it. Never for a form with a secret, or with a member's data. */
export const loadConsoleDraft = (staff_id: string, form: string): ConsoleDraft | undefined =>
  loadConsoleDrafts(staff_id)[form]
export const saveConsoleDraft = (staff_id: string, form: string, draft: ConsoleDraft | undefined): void => {
  const { [form]: _last, ...others } = loadConsoleDrafts(staff_id)
  write(tab, CONSOLE_DRAFTS, JSON.stringify({ staff_id, forms: draft ? { ...others, [form]: draft } : others }))
}
/** All, or all but those of one colleague. */
export const forgetConsoleDrafts = (except?: string): void => {
  const { staff_id }: ConsoleDrafts = parseObject(read(tab, CONSOLE_DRAFTS))
  if (!except || staff_id !== except) write(tab, CONSOLE_DRAFTS, undefined)
}

function pickStoredFields(values: Record<string, unknown>): Draft {
  const answers = storedFields.map((name) => [name, values[name]] as const)
  return Object.fromEntries(answers.filter(([, answer]) => typeof answer === 'string'))
}

function parsePhoneStatus(value: unknown): PhoneStatus {
  const { sent_at, verified } = Object(value)
  return { ...(Number.isFinite(sent_at) ? { sent_at } : {}), ...(verified === true ? { verified } : {}) }
}

function parseObject(text: string | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? '{}'))
  } catch {
    return {}
  }
}

// Where a browser blocks storage, even reading the global throws, so it is read inside the try.
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
    // Blocked or full: the page keeps its answers in memory.
  }
}
