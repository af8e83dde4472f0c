import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type VendorName, vendors } from '#server/gateways/captcha/vendors.ts'

/** How a response can be missing or unusable. */
export const faults = ['slow', 'down', 'garbage', 'html', 'status_500', 'other_shape', 'endless'] as const
export type Fault = (typeof faults)[number]

type Options = { vendor: VendorName; secret: string; site_key: string; port: number }

/**
 * For tests: emulates a vendor, with a strict siteverify and a script that shows a checkbox in a frame. Accepts each of
 * its tokens once, and fails on demand.
 */
export async function captchaEmulator({ vendor, secret, site_key, port }: Options) {
  const tokens = new Map<string, { hostname: string; used: boolean }>()
  const received: URLSearchParams[] = []
  let nextFault: Fault | undefined

  const failure = (...codes: string[]) => ({ success: false, 'error-codes': codes })

  function verdict(type: string | undefined, sent: URLSearchParams): object {
    if (type !== 'application/x-www-form-urlencoded;charset=UTF-8') return failure('bad-request')
    if ([...sent.keys()].sort().join() !== 'response,secret') return failure('bad-request')
    if (sent.get('secret') !== secret) return failure('invalid-input-secret')
    const token = tokens.get(sent.get('response') ?? '')
    if (!token) return failure('invalid-input-response')
    if (token.used) return failure(vendor === 'hcaptcha' ? 'already-seen-response' : 'timeout-or-duplicate')
    token.used = true
    return { success: true, challenge_ts: '2026-11-15T12:00:00Z', hostname: token.hostname, 'error-codes': [] }
  }

  const issue = (hostname: string): string => {
    const token = `token-${randomUUID()}`
    tokens.set(token, { hostname, used: false })
    return token
  }

  async function siteverify(request: IncomingMessage, reply: ServerResponse) {
    const sent = new URLSearchParams(await text(request))
    received.push(sent)
    const fault = nextFault
    nextFault = undefined
    if (fault === 'slow') await sleep(6_000)
    if (fault === 'down') return request.socket.destroy()
    const json = JSON.stringify(verdict(request.headers['content-type'], sent))
    const corrupted: Partial<Record<Fault, string>> = {
      garbage: json.slice(0, 9),
      html: '<html>Busy</html>',
      other_shape: '{"success":"true"}',
      endless: json + ' '.repeat(5 * 2 ** 20),
    }
    reply.writeHead(fault === 'status_500' ? 500 : 200, { 'content-type': 'application/json' })
    return reply.end((fault && corrupted[fault]) ?? json)
  }

  const paths = {
    siteverify: new URL(vendors[vendor].siteverify).pathname,
    script: new URL(vendors[vendor].script).pathname,
  }

  const server = createServer(async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://emulator')
    const send = (type: string, body: string) => reply.writeHead(200, { 'content-type': type }).end(body)
    if (request.method === 'POST' && pathname === paths.siteverify) return siteverify(request, reply)
    if (pathname === paths.script) return send('text/javascript', script(vendors[vendor].global, searchParams))
    if (pathname === '/frame' && searchParams.get('sitekey') === site_key) return send('text/html', frame)
    if (pathname === '/solved') return send('text/plain', issue(searchParams.get('hostname') ?? ''))
    return reply.writeHead(404).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    issue,
    received,
    /** Makes the next siteverify request fail. */
    plan: (fault: Fault) => {
      nextFault = fault
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The vendor's script: a frame for each widget, and callbacks. It creates no script from text. */
const script = (global: string, query: URLSearchParams) => `
const origin = new URL(document.currentScript.src).origin
const boxes = []
const load = (box) => { box.frame.src = origin + '/frame?sitekey=' + encodeURIComponent(box.options.sitekey) + '&hostname=' + location.hostname }
addEventListener('message', ({ origin: from, source, data }) => {
  const box = boxes.find(({ frame }) => frame.contentWindow === source)
  if (from === origin && box) box.options[data.callback](data.token)
})
window[${JSON.stringify(global)}] = {
  render(place, options) {
    const frame = document.createElement('iframe')
    frame.title = 'Captcha'
    frame.width = 304
    frame.height = 78
    const box = { frame, options }
    boxes.push(box)
    load(box)
    place.append(frame)
    return boxes.length - 1
  },
  reset: (id) => load(boxes[id]),
}
window[${JSON.stringify(query.get('onload'))}]()
`

/** The frame: a checkbox, and buttons that make it expire or fail. */
const frame = `<!doctype html><title>Captcha</title>
<label><input type="checkbox"> I am human</label> <button>Expire</button> <button>Break</button>
<script>
const tell = (callback, token) => parent.postMessage({ callback, token }, '*')
const [expire, fail] = document.querySelectorAll('button')
document.querySelector('input').onchange = async () => tell('callback', await (await fetch('/solved' + location.search)).text())
expire.onclick = () => tell('expired-callback')
fail.onclick = () => tell('error-callback')
</script>`
