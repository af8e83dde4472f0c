import { randomInt } from 'node:crypto'
import { takenMessages } from '#contract/fields.ts'
import { figures } from '#contract/figures.ts'
import { reservedWords } from '#contract/site.ts'
import { availability, claimValue } from '#server/members/claims.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

const MAX_SUGGESTIONS = 3

/** The availability of a username, and free ones like it if it is taken. */
export async function usernameAvailability(world: World, text: string, enrollment_id: string | undefined) {
  const username = await availability(world.db, 'username', text, enrollment_id)
  if (username === 'Available' || username[0] !== takenMessages.username) return { username }
  const suggestions = await suggestUsernames(world, claimValue(text))
  return suggestions.length ? { username, suggestions } : { username }
}

/** Up to three free usernames that resemble a taken one. None for a reserved word: 'admin2' would look like the operator. */
async function suggestUsernames(world: World, taken: string): Promise<string[]> {
  if (reservedWords.has(taken)) return []
  const candidates = candidatesFor(taken, todayOf(world))
  const claims = await world.db
    .selectFrom('claim')
    .select('value')
    .where('kind', '=', 'username')
    .where('value', 'in', candidates)
    .execute()
  const isClaimed = new Set(claims.map(({ value }) => value))
  return candidates.filter((name) => !isClaimed.has(name)).slice(0, MAX_SUGGESTIONS)
}

/** 'anaruiz2', 'anaruiz26', … The random ones are for names of which all the others are taken. */
export function candidatesFor(taken: string, today: string): string[] {
  const base = taken.replace(/\d+$/, '') || taken
  const year = today.slice(2, 4)
  const endings = ['', '2', year, '7', '21', '100', ...Array.from({ length: 6 }, () => String(randomInt(10, 10_000)))]
  const names = endings.map((ending) => base.slice(0, figures.username_length - ending.length) + ending)
  return [...new Set(names)].filter(
    (name) => name !== taken && name.length >= figures.username_checked_from && !reservedWords.has(name),
  )
}
