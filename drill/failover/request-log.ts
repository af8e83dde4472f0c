import type { HttpClient, HttpResponse } from '../visitor/http-client.ts'
import { requestMethods } from '../visitor/http-client.ts'

type Failure = { what: string; startTime: number; endTime: number }

/** Sorts the answers of every request. */
export function logRequests() {
  const counts = { all: 0 }
  /** Neither an answer nor a request to wait. */
  const failures: Failure[] = []
  /** A 503 without saying when to ask again. */
  const withoutTime: Failure[] = []
  const lockedOut: Failure[] = []
  const waits: Failure[] = []
  const listOf = ({ status, headers }: HttpResponse) => {
    if (status === 429) return lockedOut
    if (status === 503) return Number(headers['retry-after']) > 0 ? waits : withoutTime
    return status >= 500 ? failures : undefined
  }
  const watch = (client: HttpClient): HttpClient => {
    const send: HttpClient['send'] = async (method, path, options) => {
      const startTime = performance.now()
      const add = (list: Failure[] | undefined, result: string) =>
        list?.push({ what: `${method} ${path.split('?')[0]}: ${result}`, startTime, endTime: performance.now() })
      counts.all += 1
      try {
        const response = await client.send(method, path, options)
        add(listOf(response), `${response.status} ${response.text.slice(0, 200)}`)
        return response
      } catch (error) {
        add(failures, String(error))
        throw error
      }
    }
    return { ...client, ...requestMethods(send) }
  }
  const during = (start: number, end: number) => (list: Failure[]) =>
    list.filter(({ startTime, endTime }) => startTime < end && endTime > start)
  return {
    watch,
    counts,
    failures,
    withoutTime,
    lockedOut,
    waits,
    /** Everything that was not an answer, in a span of time. */
    unansweredDuring: (start: number, end: number) =>
      [failures, withoutTime, lockedOut, waits].flatMap(during(start, end)).map(({ what }) => what),
  }
}
export type RequestLog = ReturnType<typeof logRequests>

/** Each different text once, with how often it came. */
export function countTexts(texts: string[]): string[] {
  const counts = Map.groupBy(texts, (text) => text)
  return [...counts].map(([text, { length }]) => `${length} × ${text}`).toSorted()
}
