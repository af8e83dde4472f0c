import * as z from 'zod/mini'
import type { Call } from './api.ts'
import { messageReports } from './field-messages.ts'

const MAX_FIELDS = 40

/** What the form tells about its messages: the field and which sentence, never what was entered. */
export const messageCalls = {
  reportMessages: {
    ...messageReports,
    summary: 'Count messages that were shown at fields',
    input: z.object({
      messages: z
        .array(
          z.object({
            field: z.string('Please name a field.').check(z.maxLength(40, 'This is not a field.')),
            message: z.int('Please send the number of a message.'),
          }),
          'Please send a list of messages.',
        )
        .check(z.maxLength(MAX_FIELDS, `Please send at most ${MAX_FIELDS} messages.`)),
    }),
    output: z.object({}),
  },
} as const satisfies Record<string, Call>
