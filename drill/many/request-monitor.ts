import { type HttpClient, requestMethods } from '../visitor/http-client.ts'

/** A request without an answer, or with a 5xx. */
type Failure = { description: string; startTime: number; endTime: number }

/** Counts the requests of a client and records those that fail. */
export function monitorRequests() {
  const failures: Failure[] = []
  const counts = { all: 0, inFlight: 0 }
  const wrapClient = (client: HttpClient): HttpClient => {
    const send: HttpClient['send'] = async (method, path, options) => {
      const startTime = performance.now()
      const recordFailure = (reason: string) =>
        failures.push({ description: `${method} ${path}: ${reason}`, startTime, endTime: performance.now() })
      counts.all += 1
      counts.inFlight += 1
      try {
        const response = await client.send(method, path, options)
        if (response.status >= 500) recordFailure(String(response.status))
        return response
      } catch (error) {
        recordFailure(String(error))
        throw error
      } finally {
        counts.inFlight -= 1
      }
    }
    return { ...client, ...requestMethods(send) }
  }
  return { wrapClient, failures, counts }
}
