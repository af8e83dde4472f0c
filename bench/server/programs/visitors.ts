import { createHttpClient } from '../../../drill/visitor/http-client.ts'
import { fillInForm, submitEnrollment, type Visitor } from '../visitor.ts'

// Simulated visitors. Those who are prepared have solved the captcha in advance, so that only their submission is timed.

export type VisitorsRequest = { url: string; concurrency: number } & (
  | { /** Prepare visitors until so many are waiting. */ prepare: number }
  | { /** Submit prepared visitors for so many milliseconds. */ submit: number }
  | { /** So many complete visits: page, captcha and submission. */ visit: number }
)
export type VisitorsReply = { approved: number; failures: string[]; milliseconds: number }

const prepared: Visitor[] = []

/** Calls `step` in parallel until it returns false. */
const repeat = (concurrency: number, step: () => Promise<boolean>) =>
  Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (await step());
    }),
  )

async function handle(request: VisitorsRequest): Promise<VisitorsReply> {
  const { url, concurrency } = request
  const failures: string[] = []
  let approved = 0
  const submit = async (visitor: Visitor) => {
    const outcome = await submitEnrollment(url, visitor)
    if (outcome === 'Approved') approved += 1
    else failures.push(outcome)
  }
  const caller = createHttpClient(url, concurrency)
  const start = performance.now()
  if ('prepare' in request)
    await repeat(concurrency, async () => {
      if (prepared.length >= request.prepare) return false
      prepared.push(await fillInForm(caller))
      return true
    })
  if ('submit' in request)
    await repeat(concurrency, async () => {
      if (performance.now() - start >= request.submit) return false
      const visitor = prepared.pop()
      if (!visitor) throw new Error('Too few visitors were prepared.')
      await submit(visitor)
      return true
    })
  if ('visit' in request) {
    let remaining = request.visit
    await repeat(concurrency, async () => {
      if (remaining-- <= 0) return false
      await submit(await fillInForm(caller))
      return true
    })
  }
  const milliseconds = performance.now() - start
  caller.close()
  return { approved, failures: failures.slice(0, 3), milliseconds }
}

process.on('message', async (request: VisitorsRequest) => process.send?.(await handle(request)))
