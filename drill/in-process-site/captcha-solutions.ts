import { API, calls } from '#contract/api.ts'
import { solve } from '#server/test/solve.ts'
import { farmAddress } from '../test-data.ts'
import type { Door, From, House } from './in-process-site.ts'

/** A challenge, asked for and worked out. Nothing, when it was refused. */
export async function solution(house: Door, from: From): Promise<string | undefined> {
  const reply = await house.get(`${API}${calls.getChallenge.path}`, from)
  return reply.statusCode === 200 ? solve(reply.json()) : undefined
}

const GOOD_SECONDS = 15 * 60

/** Solutions that a gang shares, made on a farm. One that was not used up is kept for the next try, as long as it is good. */
export function purse(house: House) {
  let made = 0
  let kept: { text: string; until: number }[] = []
  const time = () => house.world.now().getTime() / 1000
  return {
    async take() {
      for (let found = kept.pop(); found; found = kept.pop()) if (found.until > time()) return found
      kept = []
      const until = time() + GOOD_SECONDS
      return { text: (await solution(house, { address: farmAddress(Math.floor(made++ / 100)) })) ?? '', until }
    },
    putBack: (one: { text: string; until: number }) => kept.push(one),
  }
}
