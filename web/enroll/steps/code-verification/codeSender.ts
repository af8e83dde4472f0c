import { SOLUTION_LIFETIME_MS, solveCaptcha } from '#web/form/solveCaptcha.ts'
import { log } from '#web/log.ts'

let ahead: { begun_at: number; solution: Promise<string | undefined> } | undefined

/** Works out our own captcha while the person still fills the form, so that the first code need not wait for it. */
export function solveAhead(): void {
  ahead ??= { begun_at: Date.now(), solution: solution() }
}

/** A solution nobody has used; undefined when none was begun, or none was found. */
export async function takeSolution(): Promise<string | undefined> {
  const taken = ahead
  ahead = undefined
  return taken && Date.now() - taken.begun_at > SOLUTION_LIFETIME_MS ? solution() : taken?.solution
}

/** Undefined when it could not be worked out: then the server asks, and the person ticks the box. */
export const solution = (): Promise<string | undefined> =>
  solveCaptcha(new AbortController().signal).catch((cause: unknown) => {
    log('The captcha could not be worked out.', cause)
    return undefined
  })
