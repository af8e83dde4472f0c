import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, it } from 'vitest'
import { smtpMail } from '#server/gateways/mail/smtp.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { runJobs } from './jobs.ts'

async function startMailServer(options: SMTPServerOptions = {}, port = 0) {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], ...options })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Sends the site's emails to this port, and counts. */
function sendTo(site: Site, port: number) {
  const gateway = smtpMail(`smtp://127.0.0.1:${port}`, 'Foyer <hello@foyer.example>')
  const count = { tries: 0, running: 0, mostAtOnce: 0 }
  const send: typeof gateway.send = async (email) => {
    count.tries += 1
    count.mostAtOnce = Math.max(count.mostAtOnce, ++count.running)
    await gateway.send(email).finally(() => --count.running)
  }
  site.world.mail = { ...gateway, send }
  return count
}

const workEvery = async (site: Site, seconds: number, { times }: { times: number }) => {
  for (let time = 0; time < times; time++) {
    site.advance(seconds)
    await runJobs(site.world, jobGroups.emails)
  }
}

const waiting = ({ db }: Site) =>
  db
    .selectFrom('job')
    .select(['kind', 'tries'])
    .where('done_at', 'is', null)
    .where('kind', 'in', jobGroups.emails)
    .execute()

it('4.24 emails go out within seconds once a mail server that was down for hours is back', async () => {
  const site = await testSite()
  const { port, stop } = await startMailServer()
  const count = sendTo(site, port)
  await stop()
  for (const name of ['outage1', 'outage2', 'outage3'])
    await joinedMember(site, { username: name, email: `${name}@mail.example` })
  await workEvery(site, 2, { times: 5 })
  expect((await waiting(site)).length).toBeGreaterThan(5)
  count.mostAtOnce = 0
  await workEvery(site, 300, { times: 60 })
  expect(count.mostAtOnce, 'a server that is down gets one email at a time').toBe(1)
  const { stop: stopAgain } = await startMailServer({}, port)
  await workEvery(site, 2, { times: 10 })
  expect(await waiting(site)).toEqual([])
  await stopAgain()
  await site.close()
})

it('4.24 an email that the server refuses for now waits longer each time', async () => {
  const site = await testSite()
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
    done(Object.assign(new Error('Greylisted, try again later'), { responseCode: 451 }))
  const { port, stop } = await startMailServer({ onRcptTo })
  const count = sendTo(site, port)
  await joinedMember(site)
  const emails = (await waiting(site)).length
  await workEvery(site, 1, { times: 60 })
  expect(count.tries).toBeLessThan(emails * 7)
  await stop()
  await site.close()
})
