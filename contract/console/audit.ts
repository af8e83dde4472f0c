import * as z from 'zod/mini'
import { day, reason } from './fields.ts'
import { type ActionName, actions, type ConsoleCall } from './permissions.ts'

const AuditRow = z.object({
  position: z.int(),
  at: z.string(),
  kind: z.enum(['act', 'security']),
  act: z.string(),
  who: z.string(),
  role: z.string(),
  subject_kind: z.string(),
  subject: z.string(),
  /** What the subject is called now. */
  subject_name: z.optional(z.string()),
  /** JSON values; absent once erased. */
  before: z.optional(z.record(z.string(), z.unknown())),
  after: z.optional(z.record(z.string(), z.unknown())),
  reason: z.optional(z.string()),
  is_erased: z.boolean(),
  /** The same for every action from one network; no one can tell the address from it. */
  network: z.optional(z.string()),
})

const NOT_A_ROW = 'This is not a row of the log.'
const position = z.string(NOT_A_ROW).check(z.regex(/^\d{1,15}$/, NOT_A_ROW))

/** The list's filter, as it appears in the page's address. */
const AuditFilter = z.object({
  staff: z.optional(z.uuid('This is not a colleague.')),
  action: z.optional(z.enum(Object.keys(actions) as [ActionName, ...ActionName[]], 'Please choose an action.')),
  /** A username, a link, an email address or an id. */
  member: z.optional(z.string().check(z.maxLength(200, 'Please use at most 200 characters.'))),
  day: z.optional(day),
})

/** Not JSON: the page links to it, and the browser stores it. */
const File = z.custom<{ filename: string }>()

const Verdict = z.object({
  rows: z.int(),
  seal: z.string(),
  security: z.object({ events: z.int(), expired: z.int(), unsealed: z.int() }),
  problem: z.optional(z.string()),
  /** Reports up to this row can be acknowledged. */
  open_report: z.optional(z.int()),
})

const SettingGroup = z.object({
  title: z.string(),
  settings: z.array(z.object({ name: z.string(), value: z.string(), is_secret: z.boolean() })),
})

/** The audit log and the settings. */
export const consoleAuditCalls = {
  listAudit: {
    method: 'GET',
    path: '/console/audit',
    summary: 'List what staff did, newest first',
    permission: 'see_audit',
    input: z.object({ ...AuditFilter.shape, before: z.optional(position) }),
    output: z.object({ rows: z.array(AuditRow), next: z.optional(z.string()) }),
  },
  exportAudit: {
    method: 'GET',
    path: '/console/audit.csv',
    summary: 'Download the audit log, filtered, as CSV',
    permission: 'see_audit',
    needsProof: true,
    input: AuditFilter,
    output: File,
  },
  verifyAudit: {
    method: 'POST',
    path: '/console/audit/verify',
    summary: 'Check that no row of the audit log was changed or removed',
    permission: 'see_audit',
    needsProof: false,
    input: z.object({}),
    output: Verdict,
  },
  acknowledgeReports: {
    method: 'POST',
    path: '/console/audit/acknowledge',
    summary: 'Acknowledge reports of a changed log, up to a row, and check again',
    permission: 'acknowledge_reports',
    needsProof: true,
    input: z.object({ position, reason }),
    output: Verdict,
  },
  getSettings: {
    method: 'GET',
    path: '/console/settings',
    summary: 'Get what this process runs with, without secrets',
    permission: 'see_settings',
    input: z.object({}),
    output: z.object({
      version: z.string(),
      database: z.string(),
      embedded: z.array(z.string()),
      groups: z.array(SettingGroup),
    }),
  },
} as const satisfies Record<string, ConsoleCall>

export type AuditFilter = z.infer<typeof AuditFilter>
export type Verdict = z.infer<typeof Verdict>
export type AuditRow = z.infer<typeof AuditRow>
export type SettingGroup = z.infer<typeof SettingGroup>
