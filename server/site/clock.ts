import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { PageBrand } from '#contract/brand.ts'
import type { ClockPage, TestPage } from '#contract/pages.ts'
import { periodStart } from '#contract/renewal.ts'
import { replyToError } from '#server/http/errors.ts'
import { addForms } from '#server/http/forms.ts'
import { Refusal } from '#server/refusal.ts'
import { advanceClock, DAY_MS, MAX_DAYS } from '#server/worker/advance-clock.ts'
import type { TestClock } from '#server/world/test-clock.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { listEvents, listMemberships, nextRenewal } from './clock-timeline.ts'
import { type Shell, sendPage } from './shell.ts'

const daysMessage = `Please send a whole number of days from 1 to ${MAX_DAYS}. The clock only goes forward.`
const timeMessage = 'Please send a time such as 2027-01-16T12:00:00Z.'
const days = z.int(daysMessage).check(z.gte(1, daysMessage), z.lte(MAX_DAYS, daysMessage))
const TurnRequest = z.object({
  days: z.optional(days),
  to: z.optional(z.iso.datetime({ offset: true, error: timeMessage })),
})
type TurnRequest = z.infer<typeof TurnRequest>

/** The buttons of the page, and where each one leads. */
const moves = {
  day: async ({ now }: World) => new Date(now().getTime() + DAY_MS),
  week: async ({ now }: World) => new Date(now().getTime() + 7 * DAY_MS),
  month: async ({ now }: World) => aMonthAfter(now()),
  renewal: nextRenewal,
}
const moveNames = Object.keys(moves) as (keyof typeof moves)[]

function aMonthAfter(now: Date): Date {
  const today = now.toISOString()
  return new Date(`${periodStart(today.slice(0, 10), 1)}${today.slice(10)}`)
}

/** A page that advances the clock and shows what happened meanwhile, and the same for scripts. Works without JavaScript. */
export function addClock(app: FastifyInstance, world: World, clock: TestClock, shell: Shell, testPages: TestPage[]) {
  app.get('/__clock', async (request, reply) => {
    const page = await describeClock(world, clock)
    const body = (brand: PageBrand) => shell.pages.clock(page, testPages, brand)
    return sendPage(request, reply, shell, { title: 'Test clock', body })
  })

  app.register(async (scripts) => {
    scripts.setErrorHandler(replyToError)
    scripts.post<{ Body: TurnRequest }>('/__clock', { schema: { body: TurnRequest } }, async ({ body }, reply) =>
      reply.type('application/json').send(JSON.stringify(await advanceClock(world, clock, targetOf(world, body)))),
    )
  })

  addForms(app, (forms) =>
    forms.post<{ Body: { move: keyof typeof moves } }>(
      '/__clock/turn',
      { schema: { body: z.object({ move: z.enum(moveNames) }) } },
      async ({ body }, reply) => {
        const to = await moves[body.move](world)
        if (to) await advanceClock(world, clock, to)
        return reply.redirect('/__clock', 303)
      },
    ),
  )
}

function targetOf({ now }: World, { days, to }: TurnRequest): Date {
  if ((days === undefined) === (to === undefined)) throw new Refusal(422, 'Please send either days or to.')
  return to === undefined ? new Date(now().getTime() + (days ?? 0) * DAY_MS) : new Date(to)
}

async function describeClock(world: World, clock: TestClock): Promise<ClockPage> {
  const [all, memberships, next] = await Promise.all([listEvents(world), listMemberships(world), nextRenewal(world)])
  const turn = clock.lastTurn()
  const events = all.map(({ at, ...event }) => ({ ...event, is_new: turn !== undefined && at > turn.from }))
  return {
    now: world.now().toISOString(),
    time_zone: world.config.TIME_ZONE,
    today: todayOf(world),
    days_ahead: Math.round(clock.aheadMs() / DAY_MS),
    ...(turn ? { turned_from: dayOf(world, turn.from) } : {}),
    ...(next ? { next_renewal: dayOf(world, next) } : {}),
    memberships,
    events,
  }
}
