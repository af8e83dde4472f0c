import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { API } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Row } from '../part.ts'
import { formatNumber } from '../statistics.ts'
import type { MemoryUsage } from './preload/report-memory.ts'
import type { Foyer } from './programs/programs.ts'

const { export_first_byte_ms, export_most_growth_mb } = budgets.console

export type Export = {
  rows: number
  firstByteMs: number
  totalMs: number
  /** After a collection, before and after the export. */
  heap: { before: number; after: number }
  /** The most that was resident meanwhile, beyond what was before. */
  peakGrowth: number
}

/** Exports every member as a file, and reads it as fast as it comes. Foyer runs with report-memory and --expose-gc. */
export async function measureExport(foyer: Foyer, cookie: string): Promise<Export> {
  const before = await foyer.request<MemoryUsage>({})
  const watch = watchResident(foyer.child.pid ?? 0)
  const start = performance.now()
  const reply = await fetch(`${foyer.url}${API}${consoleCalls.exportMembers.path}`, { headers: { cookie } })
  if (!reply.ok || !reply.body) throw new Error(`The export failed: ${reply.status} ${await reply.text()}`)
  let firstByteMs = Number.NaN
  let lines = 0
  for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
    if (Number.isNaN(firstByteMs)) firstByteMs = performance.now() - start
    for (const byte of chunk) if (byte === NEW_LINE) lines++
  }
  const totalMs = performance.now() - start
  const peak = await watch.stop()
  const after = await foyer.request<MemoryUsage>({})
  return {
    rows: lines - 1,
    firstByteMs,
    totalMs,
    heap: { before: before.heap, after: after.heap },
    peakGrowth: Math.max(0, peak - before.resident),
  }
}

const NEW_LINE = 10
const PAGE_BYTES = 4096
const LOOK_EVERY_MS = 100

/** The most resident memory of a process until it is stopped, in bytes. */
function watchResident(pid: number) {
  const resident = () => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  let peak = resident()
  let isWatching = true
  const looking = (async () => {
    while (isWatching) {
      peak = Math.max(peak, resident())
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    async stop() {
      isWatching = false
      await looking
      return Math.max(peak, resident())
    },
  }
}

const formatMb = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MB`

/** Every member is in the file, it begins immediately, and the memory does not grow with it. */
export function createExportRow(members: number, { rows, firstByteMs, totalMs, heap, peakGrowth }: Export): Row {
  return {
    goal: `export of ${formatNumber(members)} members as CSV`,
    promise: `all rows, first byte < ${export_first_byte_ms} ms, resident memory + ≤ ${export_most_growth_mb} MB`,
    measured: `${formatNumber(rows)} rows, ${formatNumber((rows / totalMs) * 1000)} a second; first byte after ${formatNumber(firstByteMs)} ms; + ${formatMb(peakGrowth)}`,
    beside: `heap after collection: ${formatMb(heap.before)} before, ${formatMb(heap.after)} after`,
    spread: '',
    ratio: undefined,
    passed: rows >= members && firstByteMs < export_first_byte_ms && peakGrowth <= export_most_growth_mb * 2 ** 20,
  }
}
