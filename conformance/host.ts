import { setTimeout as sleep } from 'node:timers/promises'

/** The host under test. `headers` go with every request; `encoding` is how bodies are written. */
export type HostOptions = {
  url: string
  headers: Record<string, string>
  encoding: Encoding
  deadline_ms: number
  pause?: (ms: number) => Promise<unknown>
}
export type Encoding = 'json' | 'form'
export type Answer = { status: number; type: string; location: string; text: string; json: unknown; ms: number }

const MAX_BYTES = 5_000_000
/** When the host limits requests, we retry as slowly as it asks, up to a point. */
const MAX_WAITS = 5
const MAX_WAIT_SECONDS = 30

/** The host didn't answer a call. The message says what it did instead. */
export class NoAnswer extends Error {}

export type Host = ReturnType<typeof createHost>

/** Calls the host, and keeps each answer for the checks that look at all of them. */
export function createHost({ url, headers, encoding, deadline_ms, pause = sleep }: HostOptions) {
  const answers: (Answer & { call: string })[] = []
  const base = new URL(url.endsWith('/') ? url : `${url}/`)

  const request = async (call: string, path: string, init: RequestInit): Promise<Answer> => {
    for (let waits = 0; ; waits++) {
      const { answer, retryAfter } = await fetchOnce(new URL(path, base), init, deadline_ms)
      const mayWait = answer.status === 429 && waits < MAX_WAITS && retryAfter <= MAX_WAIT_SECONDS
      if (!mayWait) {
        answers.push({ ...answer, call })
        return answer
      }
      await pause(retryAfter * 1000)
    }
  }

  return {
    base,
    answers,
    encoding,
    get: (path: string, query: Record<string, string> = {}) => {
      const search = new URLSearchParams(query)
      return request(`GET ${path}`, search.size ? `${path}?${search}` : path, { headers })
    },
    post: (path: string, fields: Record<string, string>, as: Encoding = encoding) => {
      const [type, body] =
        as === 'json'
          ? ['application/json', JSON.stringify(fields)]
          : ['application/x-www-form-urlencoded', String(new URLSearchParams(fields))]
      return request(`POST ${path}`, path, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
    },
    /** A body that no program should send. */
    postText: (path: string, text: string) =>
      request(`POST ${path}`, path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: text,
      }),
    /** For what isn't a call of the API, such as a picture. */
    fetch: (address: string) => fetchOnce(new URL(address, base), {}, deadline_ms).then(({ answer }) => answer),
  }
}

async function fetchOnce(url: URL, init: RequestInit, deadline_ms: number) {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(deadline_ms)
  try {
    const response = await fetch(url, { ...init, signal, redirect: 'manual' })
    const text = await textOf(response)
    const answer: Answer = {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      location: response.headers.get('location') ?? '',
      text,
      json: parse(text),
      ms: Math.round(performance.now() - startedAt),
    }
    return { answer, retryAfter: Number(response.headers.get('retry-after') ?? 1) || 1 }
  } catch (error) {
    throw new NoAnswer(whyNoAnswer(error, deadline_ms))
  }
}

async function textOf(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new NoAnswer(`The answer is longer than ${MAX_BYTES / 1e6} MB.`)
  }
  return text
}

function whyNoAnswer(error: unknown, deadline_ms: number): string {
  if (error instanceof NoAnswer) return error.message
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `No answer within ${deadline_ms / 1000} s.`
  const { cause } = error
  return cause instanceof Error ? `The connection failed: ${cause.message || cause.name}` : error.message
}

/** Undefined if it isn't JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
