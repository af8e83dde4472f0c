import type { ServerResponse } from 'node:http'
import type { Reply } from './calls.ts'

/** How the bytes of a reply can go wrong, whatever it says. */
export const wires = [
  'dropped_before',
  'dropped_after',
  'silence',
  'late',
  'half',
  'endless',
  'huge',
  'html',
  'empty',
  'no_json',
  'text_plain',
  'byte_order_mark',
  'redirect',
  'redirect_loop',
  'status_401',
  'status_404',
  'status_429',
  'status_500',
  'status_503',
] as const
export type Wire = (typeof wires)[number]

const JSON_TYPE = 'application/json; charset=utf-8'
const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`
export const LATE_MS = 2_000

export function send(response: ServerResponse, { status, body }: Reply, wire?: Wire): void {
  const text = JSON.stringify(body)
  const write = (code: number, type: string, content: string, headers = {}) =>
    response.writeHead(code, { 'content-type': type, ...headers }).end(content)
  const ways: Record<Wire, () => unknown> = {
    dropped_before: () => response.destroy(),
    dropped_after: () => response.destroy(),
    silence: () => undefined,
    late: () => setTimeout(() => write(status, JSON_TYPE, text), LATE_MS).unref(),
    half: () => {
      response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
    },
    endless: () => {
      response.writeHead(status, { 'content-type': JSON_TYPE })
      response.write(text)
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    },
    huge: () => write(status, JSON_TYPE, text + ' '.repeat(20 * 2 ** 20)),
    html: () => write(200, 'text/html', page('Welcome')),
    empty: () => write(200, JSON_TYPE, ''),
    no_json: () => write(200, JSON_TYPE, `${text};`),
    text_plain: () => write(status, 'text/plain', text),
    byte_order_mark: () => write(status, JSON_TYPE, `\uFEFF${text}`),
    redirect: () => write(302, 'text/html', page('Moved'), { location: 'http://elsewhere.example/' }),
    redirect_loop: () => write(302, 'text/html', page('Moved'), { location: response.req.url }),
    status_401: () => write(401, JSON_TYPE, '{"message":"Unauthorized"}'),
    status_404: () => write(404, 'text/html', page('Not Found')),
    status_429: () => write(429, JSON_TYPE, '{"message":"Too many requests"}', { 'retry-after': '1' }),
    status_500: () => write(500, 'text/html', page('Internal Server Error')),
    status_503: () => write(503, 'text/plain', ''),
  }
  if (response.destroyed) return
  if (wire) ways[wire]()
  else write(status, JSON_TYPE, text)
}
