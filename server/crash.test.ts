import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cards } from './gateways/payment/cards.ts'
import { type testDatabase as Opened, testDatabase } from './test/database.ts'
import { startServer } from './test/process.ts'
import { answersOf, solve } from './test/site.ts'

let folder: string
let database: Awaited<ReturnType<typeof Opened>>
let env: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-crash-'))
  database = await testDatabase()
  env = { DATA_DIR: folder, ...(database.url ? { DATABASE_URL: database.url } : {}) }
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

type Server = Awaited<ReturnType<typeof startServer>>

const post = async (server: Server, path: string, body: object) => {
  const reply = await fetch(`${server.url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return reply.json()
}

const captchaOf = async (server: Server) => solve(await (await fetch(`${server.url}/api/captcha/challenge`)).json())

const enroll = (server: Server, username: string, captcha: string, cc_number: string = cards.good) =>
  post(server, 'enrollment/add-enrollment', { ...answersOf(username), captcha, cc_number })

/** Enrolls people one after another until the server is gone, and notes whom it was told of. */
async function stream(server: Server, name: string, acknowledged: string[]) {
  for (let number = 0; ; number++) {
    const username = `${name}${number}`
    try {
      const { payment } = await enroll(server, username, await captchaOf(server))
      if (payment === 'Approved') acknowledged.push(username)
    } catch {
      return
    }
  }
}

describe('a killed server', () => {
  it('8.4 has every enrollment that it acknowledged when it starts again', async () => {
    const acknowledged: string[] = []
    for (const round of ['a', 'b', 'c']) {
      const server = await startServer(env)
      const streams = ['x', 'y', 'z'].map((lane) => stream(server, `crash${round}${lane}`, acknowledged))
      const before = acknowledged.length
      while (acknowledged.length < before + 8) await sleep(20)
      await sleep(Math.random() * 100)
      server.child.kill('SIGKILL')
      await server.ended
      await Promise.all(streams)
    }
    const again = await startServer(env)
    expect(acknowledged.length).toBeGreaterThanOrEqual(24)
    for (const username of acknowledged) {
      const { username: answer } = await post(again, 'enrollment/validate_username', { username })
      expect(answer, username).toEqual(['This username is already taken.'])
      const sponsor = await fetch(`${again.url}/api/enrollment/get_enrollment_sponsor?sponsor_site=${username}`)
      expect(await sponsor.json(), username).toMatchObject({ site: username })
    }
    again.child.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
  }, 120_000)
})

/** What is under way takes a second; idle and silent clients would hold the server for half a minute and more. */
const UNDER_WAY_MS = 1000

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '8.3 %s answers what is under way and does not wait for idle clients',
    async (signal) => {
      const server = await startServer(env)
      const idle = await keepAlive(`${server.url}/livez`)
      const silent = await connected(server.url)
      const underWay = enroll(server, `late${signal.toLowerCase()}`, await captchaOf(server), cards.slow)
      await sleep(400)
      const asked = performance.now()
      server.child.kill(signal)
      expect(await underWay).toMatchObject({ payment: 'Approved' })
      expect(await server.ended).toEqual({ code: 0, signal: null })
      expect(performance.now() - asked).toBeLessThan(UNDER_WAY_MS + 4000)
      idle.destroy()
      silent.destroy()
    },
  )
})

/** A client that stays connected without asking anything more. */
const keepAlive = (url: string): Promise<Agent> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: true })
    request(url, { agent }, (reply) => reply.resume().on('end', () => resolve(agent)))
      .on('error', reject)
      .end()
  })

/** A client that is connected and has never asked anything. */
const connected = (url: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket))
    socket.on('error', () => undefined)
  })
