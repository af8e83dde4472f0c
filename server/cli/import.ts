import { consoleImportCalls } from '#contract/console/import.ts'
import { commandLine } from '#server/audit/audit.ts'
import { type CsvRecord, readFile } from '#server/connect/import/csv.ts'
import {
  addLines,
  beginImport,
  continueImport,
  deleteImport,
  findWriting,
  lineContext,
  listProblems,
  startChecking,
  startWriting,
  viewImport,
} from '#server/connect/import/import.ts'
import { readHeader } from '#server/connect/import/lines.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { World } from '#server/world/world.ts'
import { checked } from './connect/command.ts'
import { plural } from './listings.ts'

type Context = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>
type Options = { isDryRun: boolean; isInviting: boolean; connection: string; progress?: Progress }

/** An import needs only settings, database, keys and clock. */
const asWorld = (context: Context) => context as World

const LINES_AT_ONCE = 1_000

/** Reads, checks and imports a file of members. First finishes what an earlier run left unfinished. */
export async function importMembers(context: Context, path: string, options: Options): Promise<string> {
  const world = asWorld(context)
  const { progress = progressLine() } = options
  checked(consoleImportCalls.beginImport.input.safeParse({ connection: options.connection }))
  const unfinished = await findWriting(world.db)
  if (unfinished && !options.isDryRun) await toTheEnd(world, unfinished, 'finishing the interrupted import', progress)
  const id = await beginImport(world, options.connection)
  try {
    await readInto(world, id, path, progress)
    await startChecking(world, id, commandLine)
    await toTheEnd(world, id, 'checking', progress)
    const { lines, existing, problems } = await statusOf(world)
    if (problems) throw new OperatorError(await problemsText(world, id, problems))
    const fresh = lines - existing
    const found = existing
      ? ` ${plural(existing, 'member')} in the file ${existing === 1 ? 'is' : 'are'} already here.`
      : ''
    if (options.isDryRun) return `No problems found. ${plural(fresh, 'member')} to import.${found} Nothing was written.`
    if (!fresh) return `There is nothing to import.${found}`
    await startWriting(world, id, { is_inviting: options.isInviting, actor: commandLine })
    await toTheEnd(world, id, 'writing', progress)
    const { added, problems: failed } = await statusOf(world)
    const done = `Imported ${plural(added, 'member')}.${found}`
    return failed ? `${done}\n${await problemsText(world, id, failed)}` : done
  } finally {
    progress.end()
    if ((await statusOf(world)).id === id) await deleteImport(world.db, id)
  }
}

async function readInto(world: World, id: string, path: string, progress: Progress) {
  const lines = await lineContext(world)
  let header: string[] | undefined
  let records: CsvRecord[] = []
  let [piece, count] = [0, 0]
  const flush = async () => {
    if (header) await addLines(world, id, { header, records, piece }, lines)
    piece += 1
    count += records.length
    records = []
    progress.show(`reading: ${count} lines`)
  }
  for await (const record of readFile(path)) {
    if (!header) {
      header = record.cells
      readHeader(header)
    } else if (records.push(record) === LINES_AT_ONCE) await flush()
  }
  if (!header) throw new OperatorError(`${path} is empty.`)
  await flush()
}

async function toTheEnd(world: World, id: string, what: string, progress: Progress) {
  while (await continueImport(world, id)) progress.show(`${what}: ${(await statusOf(world)).percent}%`)
}

async function statusOf({ db }: World) {
  const { import: current } = await viewImport(db)
  return current ?? { id: '', lines: 0, existing: 0, problems: 0, added: 0, percent: 0 }
}

/** 'Line 7, email: belongs to another member.' */
async function problemsText(world: World, id: string, count: number): Promise<string> {
  const lines: string[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof listProblems>> = await listProblems(world.db, id, after, LINES_AT_ONCE)
    for (const { line, column_name, problem } of page.problems)
      lines.push(`  line ${line}${column_name === 'line' ? '' : `, ${column_name}`}: ${problem}`)
    after = page.next
  }
  return `${plural(count, 'problem')}. These lines were not imported:\n${lines.join('\n')}`
}

export type Progress = { show: (text: string) => void; end: () => void }

/** One line on a terminal; nothing in a file. */
function progressLine(): Progress {
  const { stderr } = process
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined }
  const replace = (text: string) => stderr.write(`\r${text}\u001b[K`)
  return { show: replace, end: () => replace('') }
}
