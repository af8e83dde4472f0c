import type { MonthMember } from '../members.ts'
import type { OrderLine } from '../orders.ts'

/** A request as it would be sent, for someone to read. */
export type EngineRequest = { call: string; body: Record<string, unknown> }

/** The id that an engine knows a member by, or a placeholder that says whose it is. */
export type IdOf = (member_id: string) => string

/** What an engine is told. A month has no names or contact details: whoever sends this adds them. */
export type Engine = {
  /** Someone joined. */
  member: (member: MonthMember, idOf: IdOf) => EngineRequest[]
  /** Lines of one order that were paid together, or taken back together. */
  order: (lines: [OrderLine, ...OrderLine[]], idOf: IdOf) => EngineRequest[]
}
