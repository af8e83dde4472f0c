import type { Answer, Host } from './host.ts'

/** What a run may do: only read, send messages to a phone, place an order. */
export type Group = 'read' | 'phone' | 'write'
export const verdicts = ['holds', 'warning', 'fails', 'not tried'] as const
export type Verdict = (typeof verdicts)[number]
export type Finding = { verdict: Verdict; seen: string }
export type Result = Finding & Pick<Row, 'id' | 'group' | 'sentence'>

/** The options of a run, and what earlier rows found for later ones. */
export type Run = {
  host: Host
  sponsor: string
  phone: string
  cards: { approved: string; declined: string }
  /** Part of everything this run writes, so that it can be recognized. */
  mark: string
  found: { packages?: PackageRow[]; total?: number; joined?: { email: string; username: string } }
}
export type PackageRow = { product_id: number; image_url: string; is_recurring: boolean; is_special: boolean }

/** One promise of the specification. `needs` names rows that must hold first. */
export type Row = {
  id: string
  group: Group
  sentence: string
  needs?: string[]
  check: (run: Run) => Promise<Finding>
}

export const holds = (seen: string): Finding => ({ verdict: 'holds', seen })
export const warning = (seen: string): Finding => ({ verdict: 'warning', seen })
export const fails = (seen: string): Finding => ({ verdict: 'fails', seen })

/** Describes a value by its shape, without revealing personal data. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing that is JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return `{ ${Object.keys(value).slice(0, 8).join(', ')} }`
  return typeof value === 'string' && value.length <= 40 ? `'${value}'` : `a ${typeof value}`
}

export type Fields = Record<string, unknown>
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isMessages = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '')

export const isOk = ({ status }: Answer) => status >= 200 && status < 300
export const unexpected = ({ status, json }: Answer, expected: string): Finding =>
  fails(`Expected ${expected}; seen: status ${status}, ${shapeOf(json)}`)
