import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { validAnswers } from '#server/test/answers.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { startServer } from '#server/test/process.ts'
import { solve } from '#server/test/solve-captcha.ts'

let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
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
  post(server, 'enrollment/add-enrollment', { ...validAnswers(username), captcha, cc_number })

/** The bank has the payment, and takes a second to answer. */
const isAtTheBank = async (attempts: number) => {
  const books = await readFile(join(folder, 'sandbox-payments.jsonl'), 'utf8').catch(() => '')
  return books.split('"held"').length > attempts
}
let attempts = 0

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '8.3 %s finishes running requests, with idle clients connected',
    async (signal) => {
      const server = await startServer(env)
      const idle = await keepAlive(`${server.url}/livez`)
      const silent = await connected(server.url)
      const running = enroll(server, `late${signal.toLowerCase()}`, await captchaOf(server), cards.slow)
      const number = ++attempts
      await expect.poll(() => isAtTheBank(number)).toBe(true)
      server.child.kill(signal)
      expect(await running).toMatchObject({ payment: 'Approved' })
      expect(await server.ended).toEqual({ code: 0, signal: null })
      idle.destroy()
      silent.destroy()
    },
  )

  it.runIf(isPostgres)('8.3 19.74 a visitor who came just before is still counted in the funnel', async () => {
    const server = await startServer(env)
    const headers = { 'user-agent': 'Mozilla/5.0 Chrome/140.0.0.0', referer: `${server.url}/ana` }
    await fetch(`${server.url}/api/replicated-sites/page-hits/ana`, { headers })
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    const opened = await database.db.selectFrom('funnel_day').selectAll().where('step', '=', 'opened').execute()
    expect(opened).toMatchObject([{ site: 'ana', count: 1 }])
  })
})

it('8.9 a server whose log cannot be written keeps running, reports that, and counts the lost lines', async () => {
  const server = await startServer({ ...env, LOG_LEVEL: 'info' })
  server.child.stdout?.destroy()
  const lost = async () =>
    Number(/^foyer_log_lines_lost_total (\d+)/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1])
  await expect.poll(lost).toBeGreaterThan(1)
  expect(server.output().match(/Foyer: cannot write the log.*EPIPE/g)).toHaveLength(1)
  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
})

describe('draining', () => {
  it('8.6 reports "not ready" first, and keeps serving until a proxy has noticed', async () => {
    const server = await startServer({ ...env, CLOSING_SECONDS: '60' })
    server.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
    const page = await fetch(`${server.url}/ana`)
    expect(page.status).toBe(200)
    expect(page.headers.get('connection')).toBe('close')
    server.child.kill('SIGKILL')
    expect(await server.ended, 'it has not ended by itself').toEqual({ code: null, signal: 'SIGKILL' })
  })
})

/** A client that stays connected after its request. */
const keepAlive = (url: string): Promise<Agent> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: true })
    request(url, { agent }, (reply) => reply.resume().on('end', () => resolve(agent)))
      .on('error', reject)
      .end()
  })

/** A client that connects and sends nothing. */
const connected = (url: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket))
    socket.on('error', () => undefined)
  })
