import { expect, test } from '@playwright/test'
import { deliverWebhooks } from '#server/connect/webhooks/webhooks.ts'
import { addEvent } from '#server/events/events.ts'
import { startReceiver } from '../server/test/receiver.ts'
import { checkScreen, enterAs, newMember } from './console.ts'
import { type OwnSite, startOwnSite } from './own-site.ts'

let site: OwnSite
let receiver: Awaited<ReturnType<typeof startReceiver>>
test.beforeAll(async () => {
  receiver = await startReceiver()
  site = await startOwnSite({ LOG_LEVEL: 'fatal', WEBHOOKS_TO_LOOPBACK: 'on' })
})
test.afterAll(async () => {
  await site.close()
  await receiver.close()
})

const shots = process.env.SHOTS
const deliverAll = async () => {
  while (await deliverWebhooks(site.world));
}

test('28.14 a manager adds a webhook, sees its deliveries and sends one again', async ({ page }) => {
  const shot = async (name: string) => {
    if (!shots) return
    for (const [width, height] of [
      [390, 844],
      [1280, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 390, height: 844 })
  }
  await enterAs(page, site, 'manager')
  await page.goto(site.at('/console/webhooks'))
  await expect(page.getByText('No webhooks yet.')).toBeVisible()
  await checkScreen(page, 'webhooks-empty')
  await shot('empty')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('https://192.168.1.7/in')
  await dialog.getByLabel('Name (optional)').fill('Commission engine')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('This address isn’t on the public internet.')).toBeVisible()
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByLabel('All, including').uncheck()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Please choose events from the list.')).toBeVisible()
  for (const type of ['member.joined', 'membership.ended']) await dialog.getByLabel(type).check()
  await checkScreen(page, 'webhook-add')
  await shot('add')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('whsec_')).toBeVisible()
  await shot('secret')
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await expect(page.getByRole('heading', { name: 'Commission engine' })).toBeVisible()
  await expect(page.getByText('whsec_')).toHaveCount(0)
  receiver.answer = (_request, response) => void response.writeHead(503).end('busy')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText('The test failed: status 503')).toBeInViewport()
  receiver.answer = undefined
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText('The test was delivered: status 200')).toBeInViewport()

  const { id: member_id } = await newMember(site)
  receiver.answer = (_request, response) => void response.writeHead(500).end('database is away')
  await addEvent(site.db, site.world.now(), {
    type: 'membership.ended',
    member_id,
    payload: { why: 'canceled', state: 'ended' },
  })
  await deliverAll()
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByText('waiting for an earlier event')).toBeVisible()
  await page.getByText('Details of member.joined').click()
  await expect(page.getByText('database is away')).toBeVisible()
  await checkScreen(page, 'webhook')
  await shot('deliveries')
  receiver.answer = undefined
  await page.getByRole('button', { name: 'curl for webhook.test' }).first().click()
  await expect(dialog.getByText('curl -i')).toBeVisible()
  await shot('curl')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('The webhook is off.')).toBeVisible()
  await page.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('The webhook is on.')).toBeVisible()
  await deliverAll()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('button', { name: 'Send again member.joined' }).click()
  await expect(page.getByText('We’re sending the event again.')).toBeInViewport()
  await expect(page.getByText('Details of member.joined'), 'the button is gone').toBeFocused()
  await deliverAll()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Name (optional)').fill('Engine')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Engine' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No webhooks yet.')).toBeVisible()
  expect(receiver.received.map(({ event }) => event.type)).toEqual([
    ...['webhook.test', 'webhook.test', 'member.joined', 'member.joined', 'membership.ended', 'member.joined'],
  ])
})
