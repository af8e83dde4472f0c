import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine } from '#server/audit/audit.ts'
import { addEvent } from '#server/events/events.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { addEndpoint, editEndpoint } from './endpoints.ts'
import { resendDelivery } from './resend.ts'
import { deliverWebhooks } from './webhooks.ts'

/** The guide's receivers, as an operator would start them. */

let site: Site
beforeAll(async () => {
  site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
  site.advance((Date.now() - site.world.now().getTime()) / 1000) // the receivers compare the time
})
afterAll(() => site.close())

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
})()

const samples = [
  ['Node', process.execPath, 'docs/samples/webhook-receiver.mjs'],
  ...(hasPython ? [['Python', 'python3', 'docs/samples/webhook_receiver.py'] as const] : []),
] as const

it.each(samples)(
  '28.15 the guide’s receiver in %s verifies a delivery, skips one it has seen, and survives a sender that hangs up',
  async (_name, program, file) => {
    const input = { url: 'http://127.0.0.1:9/', description: '', types: '', scheme: 'hmac' as const }
    const { endpoint, key } = await addEndpoint(site.world, input, commandLine)
    const receiver = spawn(program, [file], { env: { ...process.env, SECRET: key, PORT: '0' } })
    try {
      const lines = linesOf(receiver)
      const [, port] = /listening on (\d+)/.exec(await lines.next()) ?? []
      const url = `http://127.0.0.1:${port}/`
      await editEndpoint(site.world, { endpoint_id: endpoint.id, ...input, url }, commandLine, () => undefined)
      const member_id = crypto.randomUUID()
      await addEvent(site.db, site.world.now(), { type: 'member.erased', member_id, payload: {} })
      while (await deliverWebhooks(site.world));
      const delivery = () =>
        site.db
          .selectFrom('webhook_delivery')
          .selectAll()
          .where('endpoint_id', '=', endpoint.id)
          .executeTakeFirstOrThrow()
      const first = await delivery()
      expect(first).toMatchObject({ state: 'delivered', status: 204 })
      expect(await lines.next()).toBe(`member.erased ${first.event_id}`)
      await resendDelivery(site.world, first.id, commandLine)
      while (await deliverWebhooks(site.world));
      expect((await delivery()).state).toBe('delivered')
      await hangUp(Number(port))
      await addEvent(site.db, site.world.now(), {
        type: 'membership.ended',
        member_id,
        payload: { why: 'unpaid', state: 'ended' },
      })
      while (await deliverWebhooks(site.world));
      expect(await lines.next()).toMatch(/^membership.ended /) // and not the first one again
      const forged = await fetch(url, {
        method: 'POST',
        headers: {
          'webhook-id': 'x',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': 'v1,AAAA v1,',
        },
        body: '{"type":"member.joined"}',
      })
      expect(forged.status).toBe(401)
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    } finally {
      receiver.kill()
      await once(receiver, 'exit')
      await site.db.deleteFrom('webhook_endpoint').execute()
    }
  },
)

/** Without the rest of the request that it announces. */
const hangUp = (port: number) =>
  new Promise<void>((done) => {
    const request = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{'
    const socket = connect(port, '127.0.0.1', () => socket.write(request, () => socket.destroy()))
    socket.on('close', () => done())
  })

function linesOf({ stdout, stderr }: ChildProcess) {
  if (!stdout) throw new Error('no output')
  stderr?.pipe(process.stderr)
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return { next: async () => String((await lines.next()).value) }
}
