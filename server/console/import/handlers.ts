import type { consoleImportCalls } from '#contract/console/import.ts'
import { readText } from '#server/connect/import/csv.ts'
import {
  addLines,
  beginImport,
  discardImport,
  inviteImported,
  lineContext,
  listProblems,
  startChecking,
  startWriting,
  viewImport,
} from '#server/connect/import/import.ts'
import type { HandlersOf, Request } from '../console.ts'

/** The file arrives in pieces of whole lines, so it's never stored as a file. */
export const importHandlers = {
  getImport: (_input, { world }) => viewImport(world.db),
  beginImport: thenView(({ connection }: { connection: string }, { world }) => beginImport(world, connection)),
  addImportLines: thenView(async ({ import_id, piece, header, text, first_line }: Piece, { world }) => {
    const [first] = readText(header)
    const records = readText(text, first_line)
    await addLines(world, import_id, { header: first?.cells ?? [], records, piece }, await lineContext(world))
  }),
  checkImport: thenView(({ import_id }: AboutImport, { world, session }) =>
    startChecking(world, import_id, session.staff),
  ),
  listImportProblems: ({ import_id, after }, { world }) => listProblems(world.db, import_id, after),
  startImport: thenView(({ import_id, is_inviting }: AboutImport & { is_inviting: boolean }, { world, session }) =>
    startWriting(world, import_id, { is_inviting, actor: session.staff }),
  ),
  discardImport: thenView(({ import_id }: AboutImport, { world, session }) =>
    discardImport(world, import_id, session.staff),
  ),
  inviteImported: thenView((_input: object, { world, session }) => inviteImported(world, session.staff)),
} satisfies HandlersOf<typeof consoleImportCalls>

type AboutImport = { import_id: string }
type Piece = AboutImport & { piece: number; header: string; text: string; first_line: number }

function thenView<Input>(act: (input: Input, request: Request) => Promise<unknown>) {
  return async (input: Input, request: Request) => {
    await act(input, request)
    return viewImport(request.world.db)
  }
}
