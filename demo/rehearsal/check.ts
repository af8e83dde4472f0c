import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '#server/operator-error.ts'
import { createHttpClient } from '../../drill/visitor/http-client.ts'
import { arrive, cards, visit } from '../../drill/visitor/visitor.ts'
import type { Rehearsal } from './rehearsal.ts'

/** The site refuses a form that is filled in faster (MINIMUM_SECONDS). */
const MINIMUM_MS = 3_500
const TIMEOUT_MS = 60_000

/** Someone joins, is charged once, and gets a receipt. Then the doctor tries every part. */
export async function checkRehearsal({ urls, payments, emails, command }: Rehearsal): Promise<string[]> {
  const client = createHttpClient(urls[0] ?? '')
  const record = await arrive(client)
  await sleep(MINIMUM_MS)
  const end = performance.now() + TIMEOUT_MS
  const isOpen = () => performance.now() < end
  await visit(client, record, { cards: [cards.good] }, { isOpen })
  client.close()
  requireThat(record.approved, `The payment was not approved: ${record.unexpectedRefusals.join('; ')}`)
  const receipt = () => emails.find(({ to }) => to === record.email)
  while (!receipt() && isOpen()) await sleep(100)
  requireThat(receipt(), `${record.email} got no email.`)
  requireThat(payments.size === 1, `The gateway has ${payments.size} transactions instead of 1.`)
  const health = await command('server/cli/doctor.ts')
  return [`${record.username} joined, was charged once, and got “${receipt()?.subject}”.`, health]
}

function requireThat(isTrue: unknown, problem: string): asserts isTrue {
  if (!isTrue) throw new OperatorError(problem)
}
