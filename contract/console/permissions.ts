import type { Call } from '#contract/api.ts'

/** Everyone who works for the operator has one role. */
export const roles = ['owner', 'manager', 'support', 'finance', 'viewer'] as const
export type Role = (typeof roles)[number]

type Line = { text: string; roles: readonly Role[] }

/** Who may do what. Every call of the console names one line of this table. */
export const permissions = {
  see_members: { text: 'See members and their payments', roles: ['owner', 'manager', 'support', 'finance', 'viewer'] },
  export_members: { text: 'Export members as a file', roles: ['owner', 'manager', 'finance'] },
  personal_data: { text: 'Export and erase personal data', roles: ['owner', 'manager'] },
  help_members: { text: 'Send sign-in links, resend emails, end sessions', roles: ['owner', 'manager', 'support'] },
  remove_second_factor: { text: 'Remove a member’s second factor', roles: ['owner', 'manager', 'support'] },
  correct_details: { text: 'Edit names, contact and address', roles: ['owner', 'manager', 'support'] },
  move_sponsors: { text: 'Move a member to a different sponsor or placement', roles: ['owner', 'manager'] },
  change_memberships: { text: 'Cancel, resume and hold memberships', roles: ['owner', 'manager', 'support'] },
  adjust_billing: { text: 'Waive a period and move the renewal day', roles: ['owner', 'manager', 'finance'] },
  import_members: { text: 'Import members', roles: ['owner'] },
  refund: { text: 'Refund and void payments', roles: ['owner', 'manager', 'finance'] },
  see_problems: { text: 'See the to-do list', roles: ['owner', 'manager', 'support', 'finance', 'viewer'] },
  resolve_problems: { text: 'Resolve discrepancies with the gateway', roles: ['owner', 'manager', 'finance'] },
  see_sponsors: {
    text: 'See sponsors, their visits and joins',
    roles: ['owner', 'manager', 'support', 'finance', 'viewer'],
  },
  manage_sponsors: { text: 'Add, switch on and off, and rename sponsors', roles: ['owner', 'manager'] },
  see_catalog: { text: 'See packages and documents', roles: ['owner', 'manager', 'support', 'finance', 'viewer'] },
  manage_catalog: { text: 'Add, edit, order and withdraw packages, change prices', roles: ['owner', 'manager'] },
  publish_documents: { text: 'Publish documents', roles: ['owner', 'manager'] },
  see_audit: { text: 'Read the audit log', roles: ['owner', 'manager', 'finance', 'viewer'] },
  acknowledge_reports: { text: 'Acknowledge reports that a log was changed', roles: ['owner'] },
  see_staff: { text: 'See who has access', roles: ['owner', 'manager', 'viewer'] },
  manage_staff: { text: 'Invite and remove staff, change roles', roles: ['owner'] },
  see_keys: { text: 'See API keys', roles: ['owner', 'manager'] },
  manage_keys: { text: 'Create and revoke API keys', roles: ['owner'] },
  see_abuse: {
    text: 'See limits, extra protection and blocks',
    roles: ['owner', 'manager', 'support', 'finance', 'viewer'],
  },
  manage_abuse: { text: 'Require phone codes, block networks, pause joining', roles: ['owner', 'manager'] },
  see_brand: { text: 'See the brand and its texts', roles: ['owner', 'manager', 'support', 'finance', 'viewer'] },
  manage_brand: { text: 'Change the name, logo, colors and texts', roles: ['owner', 'manager'] },
  see_funnel: { text: 'See where visitors stop', roles: ['owner', 'manager', 'support', 'finance', 'viewer'] },
  see_webhooks: { text: 'See webhooks and their deliveries', roles: ['owner', 'manager', 'viewer'] },
  manage_webhooks: { text: 'Add, edit, test and remove webhooks, send events again', roles: ['owner', 'manager'] },
  see_settings: { text: 'See the settings', roles: ['owner', 'manager', 'viewer'] },
} as const satisfies Record<string, Line>

export type Permission = keyof typeof permissions
export const allPermissions = Object.keys(permissions) as Permission[]

export const mayDo = (role: Role, permission: Permission): boolean =>
  (permissions[permission].roles as readonly Role[]).includes(role)

/** The others are about members, payments or the catalog, which an operator's API host may keep. */
const ABOUT_SITE = /_(?:audit|reports|staff|abuse|brand|funnel|settings)$/
export const isAboutMembers = (permission: Permission): boolean => !ABOUT_SITE.test(permission)

type Action = {
  text: string
  /** Money or a sponsor moves, so someone has to say why. */
  needsReason?: true
}

/** What the audit log can hold. */
export const actions = {
  sign_in: { text: 'Signed in' },
  accept_invitation: { text: 'Accepted an invitation' },
  invite_staff: { text: 'Invited a colleague' },
  withdraw_invitation: { text: 'Withdrew an invitation' },
  change_role: { text: 'Changed a role' },
  remove_staff: { text: 'Removed a colleague' },
  add_passkey: { text: 'Added a passkey' },
  remove_passkey: { text: 'Removed a passkey' },
  set_password: { text: 'Set a password and an authenticator app' },
  new_recovery_codes: { text: 'Made new recovery codes' },
  refund_payment: { text: 'Refunded a payment', needsReason: true },
  void_payment: { text: 'Voided a payment', needsReason: true },
  export_members: { text: 'Began an export of members' },
  start_import: { text: 'Started importing members' },
  stop_import: { text: 'Stopped importing members' },
  invite_imported: { text: 'Emailed imported members a link to set a password' },
  finish_export: { text: 'An export of members ended' },
  export_audit: { text: 'Exported the audit log' },
  cancel_membership: { text: 'Canceled the membership' },
  resume_membership: { text: 'Undid the cancellation' },
  hold_membership: { text: 'Put the membership on hold' },
  release_membership: { text: 'Released the hold' },
  change_details: { text: 'Edited the details' },
  move_sponsor: { text: 'Moved the member to another sponsor', needsReason: true },
  change_placement: { text: 'Changed the placement', needsReason: true },
  waive_period: { text: 'Waived a period', needsReason: true },
  move_renewal_day: { text: 'Moved the renewal day', needsReason: true },
  export_person: { text: 'Exported the personal data' },
  erase_person: { text: 'Erased the personal data', needsReason: true },
  end_sessions: { text: 'Signed the member out everywhere' },
  remove_second_factor: { text: 'Removed the member’s second factor', needsReason: true },
  send_reset_link: { text: 'Sent a link to set a new password' },
  resend_email: { text: 'Sent an email again' },
  resend_welcome: { text: 'Sent the welcome email again' },
  add_sponsor: { text: 'Added a sponsor' },
  activate_sponsor: { text: 'Switched a sponsor’s link on' },
  deactivate_sponsor: { text: 'Switched a sponsor’s link off', needsReason: true },
  rename_sponsor: { text: 'Renamed a sponsor’s link', needsReason: true },
  change_sponsor_picture: { text: 'Changed the picture of a sponsor' },
  add_package: { text: 'Added a package' },
  edit_package: { text: 'Edited a package' },
  move_package: { text: 'Moved a package' },
  withdraw_package: { text: 'Withdrew a package' },
  offer_package: { text: 'Offered a package again' },
  change_package_picture: { text: 'Changed the picture of a package' },
  change_prices: { text: 'Changed the prices of a package', needsReason: true },
  set_volumes: { text: 'Set the volumes of a price' },
  publish_document: { text: 'Published a document' },
  schedule_document: { text: 'Scheduled a document' },
  unschedule_document: { text: 'Took back a scheduled document' },
  add_document: { text: 'Added a document' },
  withdraw_document: { text: 'Withdrew a document', needsReason: true },
  restore_document: { text: 'Put a document in force again' },
  /** The stored name stays, and so does `difference` in its details: the hashes of the audit log cover both. */
  resolve_difference: { text: 'Resolved a discrepancy', needsReason: true },
  open_breaker: { text: 'Turned on extra protection' },
  close_breaker: { text: 'Set protection back to normal' },
  block_network: { text: 'Blocked a network' },
  lift_block: { text: 'Lifted a block' },
  pause_joining: { text: 'Paused joining' },
  resume_joining: { text: 'Opened joining again' },
  change_brand: { text: 'Changed the brand' },
  change_logo: { text: 'Changed the logo' },
  remove_logo: { text: 'Went back to the built-in logo' },
  create_api_key: { text: 'Created an API key' },
  revoke_api_key: { text: 'Revoked an API key', needsReason: true },
  add_webhook: { text: 'Added a webhook' },
  edit_webhook: { text: 'Edited a webhook' },
  turn_off_webhook: { text: 'Turned a webhook off' },
  turn_on_webhook: { text: 'Turned a webhook on' },
  rotate_webhook_secret: { text: 'Rotated a webhook’s secret' },
  remove_webhook: { text: 'Removed a webhook' },
  resend_webhook: { text: 'Sent an event again' },
  replay_webhooks: { text: 'Sent a range of events again' },
  stop_webhook: { text: 'Turned a failing webhook off' },
  seal_events: { text: 'Sealed events of the security log' },
  expire_events: { text: 'Deleted old events of the security log' },
  report_tampering: { text: 'Noticed that a log was changed' },
  acknowledge_tampering: { text: 'Acknowledged the reports that a log was changed', needsReason: true },
} as const satisfies Record<string, Action>

export type ActionName = keyof typeof actions
export const isAction = (name: string): name is ActionName => Object.hasOwn(actions, name)

/** A call of the console says who may make it. The server checks every call against this. */
export type ConsoleCall = Call & {
  /** A line of the table of permissions. 'staff': everyone who is signed in; 'anyone': also before that. */
  permission: Permission | 'staff' | 'anyone'
  /** The page calls it by itself, so it doesn't keep the session alive. */
  isBackground?: true
  /** Counted: a colleague who opens too many in an hour is stopped, and the owners are told. */
  showsMembers?: true
} & Proof

/**
 * Whether a call is refused unless a passkey, or a password with a code, was given within the last ten minutes. Every call that
 * changes something has to say it. Not needed: what protects a member or goes to the member's own address.
 */
type Proof =
  | { method: 'GET'; needsProof?: true }
  | { method: 'POST'; permission: 'anyone'; needsProof?: undefined }
  | { method: 'POST'; permission: Permission | 'staff'; needsProof: boolean }

/** The status of a refusal because `needsProof` is not met: the page asks for it and sends the call again. */
export const PROOF_NEEDED = 428

/** The status of a refusal because someone else saved the same form meanwhile: the page shows both and asks which to keep. */
export const FORM_CHANGED = 412
