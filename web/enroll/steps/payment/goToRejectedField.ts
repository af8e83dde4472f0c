import type { Step } from '#contract/start.ts'
import { noteUnverified } from '#web/enroll/steps/code-verification/phoneStatus.ts'
import { asked } from '#web/enroll/wizard/rules.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { FieldName } from '#web/storage.ts'

/** Which step asks for which fields, packages aside, in the order in which people mend them. */
const homes: readonly [Step, readonly string[]][] = [
  ['ACCOUNT', Object.keys(asked.ACCOUNT)],
  ['ACCOUNT_CREATION', Object.keys(asked.ACCOUNT_CREATION)],
]

/** The earliest step that the server's messages are about, with its messages. */
export function homeOf(fields: Messages): { step: Step; refused: Messages } | undefined {
  for (const [step, names] of homes) {
    const said = Object.entries(fields).filter(([name]) => names.includes(name))
    if (said.length) return { step, refused: Object.fromEntries(said) }
  }
}

/** By policy the server names the phone; while too many cards are declined it asks for a code whatever the policy says. */
const asksForCode = ({ start }: Wizard, { code, mobile_phone }: Messages) =>
  code !== undefined || (mobile_phone !== undefined && start.policy.phone_verification)

/** Leads to the step of a refused answer, or tells the messages of this one; undefined when they belong to no field. */
export function leadBack(wizard: Wizard, fields: Messages): Messages | 'led' | undefined {
  const home = homeOf(fields)
  const { mobile_phone } = wizard.draft
  if (mobile_phone && asksForCode(wizard, fields)) {
    noteUnverified(mobile_phone)
    wizard.returnTo('CODE_VERIFICATION', 'code', fields.code ? { code: fields.code } : undefined)
    return 'led'
  }
  if (!home) return Object.keys(fields).some((name) => name in asked.PAYMENT) ? fields : undefined
  const [field] = Object.keys(home.refused)
  wizard.returnTo(home.step, field as FieldName, home.refused)
  return 'led'
}
