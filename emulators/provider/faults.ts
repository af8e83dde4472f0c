import type { CallName, Reply } from './calls.ts'
import { type Wire, wires } from './send.ts'

type Change = (reply: Reply) => Reply
/** The calls that fail, all if absent; how the bytes or the contents change. */
type FaultKind = { on?: CallName[]; wire?: Wire; change?: Change; instead?: Reply }
type Row = Record<string, unknown>

const body =
  (change: (body: unknown) => unknown): Change =>
  (reply) => ({ ...reply, body: change(reply.body) })
const fields = (changed: Row): Change => body((each) => ({ ...(each as Row), ...changed }))
const rows = (change: (row: Row) => unknown): Change => body((list) => (list as Row[]).map(change))
const without = (name: string) => (row: Row) => {
  const { [name]: _, ...rest } = row
  return rest
}
const on = (call: CallName, change: Change): FaultKind => ({ on: [call], change })

/** Only approved replies change: a declined card stays declined. */
const approved = (changed: Row): FaultKind =>
  on('add_enrollment', (reply) => {
    const isApproved = (reply.body as Row).payment === 'Approved'
    return isApproved ? fields(changed)(reply) : reply
  })

const textsOf = (row: Row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]))

const onWire = Object.fromEntries(wires.map((wire) => [wire, { wire }])) as Record<Wire, FaultKind>

const kinds = {
  ...onWire,
  null_body: { change: body(() => null) },
  in_data: { change: body((each) => ({ success: true, data: each })) },

  sponsor_lost: { on: ['sponsor'], wire: 'status_500' },
  sponsor_yes: on('sponsor', fields({ active: 'yes' })),
  sponsor_true: on('sponsor', fields({ active: true })),
  sponsor_without_active: on(
    'sponsor',
    body((each) => without('active')(each as Row)),
  ),
  sponsor_without_site: on(
    'sponsor',
    body((each) => without('site')(each as Row)),
  ),
  sponsor_site_is_html: on('sponsor', fields({ site: '<b>ana</b>' })),

  packages_lost: { on: ['packages'], wire: 'status_500' },
  packages_empty: on(
    'packages',
    body(() => []),
  ),
  packages_as_text: on('packages', rows(textsOf)),
  package_without_id: on(
    'packages',
    rows((row) => (row.product_id === 35 ? without('product_id')(row) : row)),
  ),
  package_twice: on(
    'packages',
    body((list) => [...(list as Row[]), ...(list as Row[])]),
  ),
  package_without_image: on('packages', rows(without('image_url'))),
  package_image_elsewhere: on(
    'packages',
    rows((row) => ({ ...row, image_url: 'http://127.0.0.1:9/missing.png' })),
  ),
  package_without_kind: on(
    'packages',
    rows((row) => without('is_recurring')(without('is_special')(row))),
  ),

  documents_lost: { on: ['documents'], wire: 'status_500' },
  documents_empty: on(
    'documents',
    body(() => []),
  ),
  document_places_as_text: on(
    'documents',
    rows((row) => ({ ...row, display_on_checkout: String(row.display_on_checkout) })),
  ),
  document_with_script: on(
    'documents',
    rows((row) => ({ ...row, content: `${row.content}<script>alert(1)</script>` })),
  ),
  document_without_title: on('documents', rows(without('title'))),

  orders_lost: { on: ['orders'], wire: 'status_500' },
  total_as_number: on(
    'orders',
    body((each) => ({ grand_total: Number((each as Row).grand_total) })),
  ),
  total_with_sign: on(
    'orders',
    body((each) => ({ grand_total: `$${(each as Row).grand_total}` })),
  ),
  total_missing: on(
    'orders',
    body(() => ({})),
  ),
  total_negative: on(
    'orders',
    body(() => ({ grand_total: '-1.00' })),
  ),

  availability_lost: { on: ['validate_email', 'validate_username'], wire: 'status_500' },
  email_message_as_text: on(
    'validate_email',
    body((each) => ({ email: String((each as Row).email) })),
  ),
  username_true: on(
    'validate_username',
    body((each) => ({ username: (each as Row).username === 'Available' })),
  ),
  everyone_available: on('validate_username', fields({ username: 'Available' })),

  payment_lost: { on: ['add_enrollment'], wire: 'dropped_after' },
  payment_late: { on: ['add_enrollment'], wire: 'late' },
  payment_silent: { on: ['add_enrollment'], wire: 'silence' },
  payment_html: { on: ['add_enrollment'], wire: 'html' },
  payment_failed: { on: ['add_enrollment'], wire: 'status_500' },
  payment_refused: {
    on: ['add_enrollment'],
    instead: { status: 422, body: { message: 'The address is unknown.' } },
  },
  payment_lowercase: approved({ payment: 'approved' }),
  payment_unknown_word: approved({ payment: 'Queued' }),
  token_missing: approved({ token: '' }),
  office_missing: approved({ vo_url: '' }),
  office_elsewhere: approved({ vo_url: 'https://phishing.example/office' }),
  office_is_script: approved({ vo_url: 'javascript:alert(1)' }),

  code_lost: { on: ['send_code'], wire: 'status_500' },
  code_status_as_text: on(
    'send_code',
    body((each) => textsOf(each as Row)),
  ),
  code_without_message: on(
    'send_code',
    body((each) => without('message')(each as Row)),
  ),
  any_code_is_right: on('verify_code', fields({ status: 1, message: 'Verified' })),
  call_without_success: on(
    'verify_call',
    body(() => ({})),
  ),
  hits_lost: { on: ['page_hits'], wire: 'status_500' },
} satisfies Record<string, FaultKind>

export type Fault = keyof typeof kinds
/** The ways in which real hosts differ from the specification, or break. */
export const faults: Record<Fault, FaultKind> = kinds
