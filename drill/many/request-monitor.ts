import { type Caller, waysToAsk } from '../visitor/http-client.ts'

/** A request that nobody answered, or that was answered with 5xx. */
type Failure = { what: string; began: number; ended: number }

/** Calls through it are counted, and those that fail are noted. */
export function watch() {
  const failed: Failure[] = []
  const count = { all: 0, underWay: 0 }
  const through = (caller: Caller): Caller => {
    const ask: Caller['ask'] = async (method, path, asking) => {
      const began = performance.now()
      const note = (how: string) => failed.push({ what: `${method} ${path}: ${how}`, began, ended: performance.now() })
      count.all += 1
      count.underWay += 1
      try {
        const answer = await caller.ask(method, path, asking)
        if (answer.status >= 500) note(String(answer.status))
        return answer
      } catch (error) {
        note(String(error))
        throw error
      } finally {
        count.underWay -= 1
      }
    }
    return { ...caller, ...waysToAsk(ask) }
  }
  return { through, failed, count }
}
