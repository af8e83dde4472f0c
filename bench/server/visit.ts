import { randomInt } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { API } from '#contract/api.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { cardNumber } from '../../drill/test-data.ts'
import type { HttpClient } from '../../drill/visitor/http-client.ts'
import { answersOf, arrive, solveCaptcha, type VisitorRecord } from '../../drill/visitor/visitor.ts'
import { within } from './ground.ts'

/** A visitor who has filled in everything and has only to press the button. */
export type Ready = { heard: VisitorRecord; order: object; address: string }

const agent = new Agent({ keepAlive: true, scheduling: 'lifo' })

const digits = (many: number) => Array.from({ length: many }, () => randomInt(10)).join('')

/** Everybody has an address, a phone and a card of their own, as people do. */
export async function fillIn(caller: HttpClient): Promise<Ready> {
  const heard = await arrive(caller)
  const captcha = await solveCaptcha(caller)
  const order = {
    ...answersOf(heard),
    mobile_phone: `+1202555${digits(4)}`,
    cc_number: cardNumber('4929', randomInt(1e11)),
    captcha,
  }
  return { heard, order, address: [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.') }
}

/** 'Approved', or what was said instead. Timed, so it does no more than it must. */
export const press = (url: string, { heard, order, address }: Ready): Promise<string> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(order)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'idempotency-key': `${heard.enrollment_id}.1`,
      cookie: heard.cookie,
      'x-forwarded-for': address,
    }
    request(`${url}${API}/enrollment/add-enrollment`, { method: 'POST', agent, headers }, (reply) => {
      let said = ''
      reply.setEncoding('utf8')
      reply.on('data', (part) => (said += part))
      reply.on('end', () =>
        resolve(said.includes('"payment":"Approved"') ? 'Approved' : `${reply.statusCode} ${said.slice(0, 200)}`),
      )
    })
      .on('error', reject)
      .end(text)
  })

/** How many enrollments have something left to follow them. */
export const unfinished = (place: Workspace): Promise<number> =>
  within(place, async (client) => {
    const { rows } = await client.query<{ many: string }>('select count(*) as many from job where done_at is null')
    return Math.ceil(Number(rows[0]?.many) / JOBS)
  })

/** Capture, welcome, consent. */
const JOBS = 3

/** Waits until everything that followed the enrollments is done. */
export async function allDone(place: Workspace): Promise<void> {
  await within(place, async (client) => {
    for (;;) {
      const { rows } = await client.query('select 1 from job where done_at is null limit 1')
      if (!rows.length) return
      await sleep(200)
    }
  })
}
