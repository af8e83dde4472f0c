import type { Question } from '#web/dialog/question.ts'
import { readableMessage } from '#web/readableMessage.ts'

/** The packages or the total could not be loaded. Text from the spec. */
export const orderFailed = (error: unknown): Question => ({
  title: 'Error',
  text: readableMessage(error) ?? 'The server did not answer.',
  icon: 'error',
})
