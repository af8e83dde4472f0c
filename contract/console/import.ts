import * as z from 'zod/mini'
import type { ConsoleCall } from './permissions.ts'

/** The columns of a file of members. The guide has them, too. */
export const importColumns = {
  username: 'letters and digits; also the member’s link',
  first_name: '',
  last_name: '',
  email: 'different for each member',
  mobile_phone: '7 to 20 digits, with + and country code',
  business_name: '',
  address: '',
  address2: '',
  city: '',
  state: 'such as NV',
  post_code: '',
  country: 'US',
  sponsor: 'the sponsor’s username or link, in the file or already here; empty: your own site',
  joined_on: 'a day such as 2024-01-31',
  membership: 'active, past_due, canceled or ended; empty: active',
  renews_on: 'the next renewal, or the day a canceled or ended membership ends',
  product_id: 'the package; empty: the first one shown to visitors that renews',
  price: 'what the member agreed to pay each time, such as 99.00; empty: the package’s price',
  vault_reference: 'the card in your gateway’s vault',
  card_brand: 'visa, mastercard, amex or discover',
  card_last_four: '',
  card_expires: 'such as 2030-07 or 07/30',
  network_transaction_id: 'of the first charge, if the gateway gave you one',
  external_id: 'the member in your old system',
} as const
export type ImportColumn = keyof typeof importColumns

export const requiredImportColumns = ['username', 'first_name', 'last_name', 'email', 'joined_on'] as const

/** Bytes that a text file doesn't begin with, and what to do about it. */
export function whyNotCsv(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0x50 && second === 0x4b) return 'This is a spreadsheet. Save it as CSV (UTF-8), and choose that file.'
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || second === 0)
    return 'This file is UTF-16. Save it as CSV (UTF-8), and choose that file.'
  return undefined
}

/** How many characters of a file one call carries. */
export const PIECE_LENGTH = 12_000

const ImportView = z.object({
  id: z.string(),
  connection: z.string(),
  state: z.enum(['reading', 'checking', 'checked', 'writing', 'done', 'stopped']),
  /** Of checking, or of writing. */
  percent: z.int(),
  lines: z.int(),
  problems: z.int(),
  /** Lines about members who are already here. */
  existing: z.int(),
  added: z.int(),
  is_inviting: z.boolean(),
})

const Current = z.object({
  import: z.optional(ImportView),
  /** Imported members who can't sign in yet, and weren't emailed. */
  may_invite: z.boolean(),
})

const import_id = z.uuid('There is no such import.')
const number = z.int('Please reload the page.').check(z.minimum(0), z.maximum(2 ** 31 - 1))

/** Importing members from another system. */
export const consoleImportCalls = {
  getImport: {
    method: 'GET',
    path: '/console/import',
    summary: 'Get the newest import, with its progress',
    permission: 'import_members',
    isBackground: true,
    input: z.object({}),
    output: Current,
  },
  beginImport: {
    method: 'POST',
    path: '/console/import/begin',
    summary: 'Start reading a file of members',
    permission: 'import_members',
    needsProof: true,
    input: z.object({
      connection: z
        .string('Please name the system.')
        .check(z.regex(/^[a-z0-9-]{1,30}$/, 'Please use up to 30 lowercase letters, digits and hyphens.')),
    }),
    output: Current,
  },
  addImportLines: {
    method: 'POST',
    path: '/console/import/lines',
    summary: 'Add the next lines of the file',
    permission: 'import_members',
    needsProof: false,
    input: z.object({
      import_id,
      /** Counted from 0, so a piece that is sent twice is added once. */
      piece: number,
      /** The first line of the file, and whole lines after it. */
      header: z
        .string('The file has no first line.')
        .check(z.maxLength(5_000, 'The first line is too long to be a header.')),
      text: z.string('The file has no lines.').check(z.maxLength(2 * PIECE_LENGTH, 'This line is too long.')),
      /** The number of the first of these lines in the file. */
      first_line: number,
    }),
    output: Current,
  },
  checkImport: {
    method: 'POST',
    path: '/console/import/check',
    summary: 'Check the whole file',
    permission: 'import_members',
    needsProof: false,
    input: z.object({ import_id }),
    output: Current,
  },
  listImportProblems: {
    method: 'GET',
    path: '/console/import/problems',
    summary: 'List a file’s bad lines, in pages',
    permission: 'import_members',
    input: z.object({
      import_id,
      after: z.optional(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(2 ** 31 - 1))),
    }),
    output: z.object({
      problems: z.array(z.object({ line: z.int(), column_name: z.string(), problem: z.string() })),
      next: z.optional(z.int()),
    }),
  },
  startImport: {
    method: 'POST',
    path: '/console/import/start',
    summary: 'Import the members of a checked file',
    permission: 'import_members',
    needsProof: true,
    input: z.object({ import_id, is_inviting: z.boolean() }),
    output: Current,
  },
  discardImport: {
    method: 'POST',
    path: '/console/import/discard',
    summary: 'Delete a file, or stop importing it',
    permission: 'import_members',
    needsProof: true,
    input: z.object({ import_id }),
    output: Current,
  },
  inviteImported: {
    method: 'POST',
    path: '/console/import/invite',
    summary: 'Email imported members a link to set a password',
    permission: 'import_members',
    needsProof: true,
    input: z.object({}),
    output: Current,
  },
} as const satisfies Record<string, ConsoleCall>

export type ImportView = z.infer<typeof ImportView>
export type CurrentImport = z.infer<typeof Current>
