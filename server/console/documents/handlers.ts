import type { consoleDocumentCalls } from '#contract/console/documents.ts'
import type { HandlersOf } from '../console.ts'
import { addDocument, restoreDocument, withdrawDocument } from './document-actions.ts'
import {
  listAcceptances,
  listDocuments,
  previewDocument,
  publishDocument,
  unscheduleDocument,
  viewDocument,
  viewVersion,
} from './documents.ts'

export const documentsHandlers = {
  listDocuments: async (_input, { world }) => ({ documents: await listDocuments(world) }),
  getDocument: ({ document_id }, { world }) => viewDocument(world, document_id),
  getDocumentVersion: (input, { world }) => viewVersion(world, input),
  listAcceptances: (input, { world }) => listAcceptances(world, input),
  previewDocument: (input) => previewDocument(input),
  publishDocument: (input, { world, session }) => publishDocument(world, input, session.staff),
  addDocument: (input, { world, session }) => addDocument(world, input, session.staff),
  withdrawDocument: (input, { world, session }) => withdrawDocument(world, input, session.staff),
  restoreDocument: (input, { world, session }) => restoreDocument(world, input, session.staff),
  unscheduleDocument: (input, { world, session }) => unscheduleDocument(world, input, session.staff),
} satisfies HandlersOf<typeof consoleDocumentCalls>
