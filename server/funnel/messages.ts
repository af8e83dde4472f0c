import { type MessageReport, messageKey } from '#contract/field-messages.ts'
import { fields, messages, takenMessages } from '#contract/fields.ts'
import { passwordMessages } from '#contract/password.ts'
import type { Client } from '#server/client.ts'
import type { World } from '#server/world/world.ts'
import { countMessages } from './funnel.ts'

/** Which message the browser showed at which field. */
export const recordMessages = (world: World, reports: MessageReport[], visitor: Client): void => {
  sentences ??= findSentences()
  const known = sentences
  countMessages(
    world,
    reports
      .filter(({ field }) => Object.hasOwn(fields, field))
      .map(({ field, message }) => ({ field, message: known.get(message) ?? '' })),
    visitor,
  )
}

/** Input that breaks every rule of a field in some way. */
const wrongInput = [undefined, '', '!', '0', 'x', '\u0001', 'x\u0001', '9'.repeat(5000)]

const ruleMessages = () =>
  Object.values(fields).flatMap((rule) =>
    wrongInput.flatMap((input) => rule.safeParse(input).error?.issues.map(({ message }) => message) ?? []),
  )

const otherMessages = [messages.expired, ...[messages.shipping, passwordMessages, takenMessages].flatMap(Object.values)]

/** The sentences that the form can show, by the number that stands for each. Any other number is not of the form. */
const findSentences = () =>
  new Map([...ruleMessages(), ...otherMessages].map((sentence) => [messageKey(sentence), sentence]))
let sentences: ReturnType<typeof findSentences> | undefined // made on first use, to keep the start fast
