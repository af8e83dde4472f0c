import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliverWebhooks } from '#server/connect/webhooks/webhooks.ts'
import { addEvent } from '#server/events/events.ts'
import { callCommand } from '#server/test/command.ts'
import { isPostgres } from '#server/test/database.ts'
import { startReceiver } from '#server/test/receiver.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { main } from '../connect.ts'

describe.runIf(isPostgres)('npm run connect -- webhooks', () => {
  let site: Site
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeAll(async () => {
    site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver.close()
    await site.close()
  })

  const connect = (...args: string[]) =>
    callCommand(main, ['webhooks', ...args], {
      DATABASE_URL: site.world.config.DATABASE_URL ?? '',
      WEBHOOKS_TO_LOOPBACK: 'on',
    })

  it('28.17 an endpoint is added, tried, followed and removed from the terminal', async () => {
    const added = await connect('add', receiver.url, '--name', 'Engine', '--types', 'member.erased')
    expect(added.output).toMatch(/^whsec_\S+\n/)
    expect((await connect('list')).output).toMatch(/on +Engine +http:.* member\.erased/)
    expect((await connect('test', 'Engine')).output).toContain('The test was delivered: status 200')
    await addEvent(site.db, site.world.now(), { type: 'member.erased', member_id: crypto.randomUUID(), payload: {} })
    while (await deliverWebhooks(site.world));
    const { output } = await connect('deliveries', 'Engine')
    const [, id = ''] = /^(\S{36}) .* member\.erased +delivered/m.exec(output) ?? []
    expect((await connect('curl', id)).output).toContain("-H 'webhook-signature: v1,")
    expect((await connect('resend', id)).code).toBe(0)
    site.advance(Math.max(0, (Date.now() - site.world.now().getTime()) / 1000)) // the command has this machine's clock
    while (await deliverWebhooks(site.world));
    expect(receiver.received.filter(({ event }) => event.type === 'member.erased').length).toBe(2)
    expect((await connect('replay', 'Engine', '2026-11-01', '2026-11-30')).output).toContain('1 event again')
    expect((await connect('rotate', 'Engine')).output).toMatch(/^whsec_/)
    for (const command of ['off', 'on', 'remove']) expect((await connect(command, 'Engine')).code).toBe(0)
    expect((await connect('list')).output).not.toContain('Engine')
  })

  it.each([
    [['add'], 'URL is missing.'],
    [['add', 'https://10.1.1.1/'], 'isn’t on the public internet'],
    [['add', 'https://example.com/', '--types', 'x.y'], 'Please choose events from the list.'],
    [['test', 'nobody'], "There is no webhook 'nobody'."],
    [['resend', 'x'], "'x' is not a delivery."],
    [['dance'], 'npm run connect -- COMMAND'],
  ])('28.17 the command explains what is wrong with %j', async (args, sentence) => {
    const { code, output } = await connect(...args)
    expect(code).not.toBe(0)
    expect(output).toContain(sentence)
  })
})
