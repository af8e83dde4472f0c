import { FORM_CHANGED } from '#contract/console/permissions.ts'
import { Refusal } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'

type Values = Record<string, string | number | boolean | null | undefined>

/** A hash of what a form shows. It changes with any value. */
export const versionOf = (values: Values): string => sha256(JSON.stringify(Object.entries(values).sort()))

/** Call it with the saved values, locked until the new ones are saved. */
export function requireVersion(saved: Values, version: string) {
  if (versionOf(saved) !== version) throw formChanged()
}

export const formChanged = () => new Refusal(FORM_CHANGED, 'Someone else saved this form while you were editing it.')
