import * as z from 'zod/mini'
import { LegalDocument } from '#contract/api.ts'
import { figures } from '#contract/figures.ts'
import { day, listKey, positiveNumber, reason, textLine } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

const document_id = positiveNumber('This is not a document.')
const version = positiveNumber('This is not a version.')

/** Fits into a call, whatever letters it is written with. */
export const DOCUMENT_MAX_LENGTH = 20_000
const content = z.string('Please enter a text.').check(
  z.refine((text) => text.trim() !== '', 'Please enter a text.'),
  z.maxLength(DOCUMENT_MAX_LENGTH, `Please use at most ${DOCUMENT_MAX_LENGTH} characters.`),
  z.refine((text) => !/(?![\t\n\r])\p{Cc}/u.test(text), 'The text has a control character.'),
)

/** A number that is not counted beyond some thousands. */
const Count = z.object({ count: z.int(), is_capped: z.boolean() })

const Scheduled = z.object({ title: z.string(), content: z.string(), publish_at: z.string(), scheduled_by: z.string() })

const DocumentRow = z.object({
  id: z.int(),
  title: z.string(),
  status: z.string(),
  /** Visitors accept it before they pay. */
  is_at_checkout: z.boolean(),
  version: z.int(),
  sha256: z.string(),
  published_at: z.optional(z.string()),
  accepted: Count,
  scheduled_at: z.optional(z.string()),
})

const DocumentPage = z.object({
  ...DocumentRow.shape,
  content: z.string(),
  scheduled: z.optional(Scheduled),
  /** Newest first. */
  versions: z.array(
    z.object({
      version: z.int(),
      title: z.string(),
      sha256: z.string(),
      published_at: z.optional(z.string()),
      published_by: z.optional(z.string()),
      accepted: Count,
    }),
  ),
})

const title = textLine('Please enter a title.', figures.text_length)
const aboutDocument = z.object({ document_id })
const aboutVersion = z.object({ document_id, version })

/** Legal documents: what is live, what was, who accepted it, and what comes next. */
export const consoleDocumentCalls = {
  listDocuments: {
    method: 'GET',
    path: '/console/documents',
    summary: 'List the legal documents with their live version',
    permission: 'see_catalog',
    input: z.object({}),
    output: z.object({ documents: z.array(DocumentRow) }),
  },
  getDocument: {
    method: 'GET',
    path: '/console/documents/:document_id',
    summary: 'Get a document with its versions',
    permission: 'see_catalog',
    input: aboutDocument,
    output: DocumentPage,
  },
  getDocumentVersion: {
    method: 'GET',
    path: '/console/documents/:document_id/versions/:version',
    summary: 'Get the text of a version, and of the one before it',
    permission: 'see_catalog',
    input: aboutVersion,
    output: z.object({
      title: z.string(),
      content: z.string(),
      before: z.optional(z.object({ version: z.int(), title: z.string(), content: z.string() })),
    }),
  },
  listAcceptances: {
    method: 'GET',
    path: '/console/document-acceptances',
    summary: 'List who accepted a version, newest first, in pages',
    permission: 'see_members',
    showsMembers: true,
    input: z.object({ ...aboutVersion.shape, after: listKey }),
    output: z.object({
      members: z.array(z.object({ id: z.string(), name: z.string(), username: z.string(), accepted_at: z.string() })),
      next: z.optional(z.string()),
    }),
  },
  previewDocument: {
    method: 'POST',
    path: '/console/documents/preview',
    summary: 'Get a text as it would be stored',
    permission: 'publish_documents',
    needsProof: false,
    input: z.object({ content }),
    output: z.pick(LegalDocument, { content: true, sha256: true }),
  },
  publishDocument: {
    method: 'POST',
    path: '/console/documents/publish',
    summary: 'Publish a new version, now or on a day',
    permission: 'publish_documents',
    needsProof: true,
    input: z.object({
      /** With the version that was on the screen: if there is a newer one, nothing is published. */
      ...aboutVersion.shape,
      title,
      content,
      /** As this day begins in the operator's time zone. Without it, now. */
      publish_on: z.optional(day),
    }),
    output: DocumentPage,
  },
  addDocument: {
    method: 'POST',
    path: '/console/documents/add',
    summary: 'Add a document that everyone accepts at checkout from now on',
    permission: 'publish_documents',
    needsProof: true,
    input: z.object({ title, content }),
    output: DocumentPage,
  },
  withdrawDocument: {
    method: 'POST',
    path: '/console/documents/withdraw',
    summary: 'Stop asking visitors to accept a document',
    permission: 'publish_documents',
    needsProof: true,
    input: z.object({ document_id, reason }),
    output: DocumentPage,
  },
  restoreDocument: {
    method: 'POST',
    path: '/console/documents/restore',
    summary: 'Put a withdrawn document in force again',
    permission: 'publish_documents',
    needsProof: true,
    input: aboutDocument,
    output: DocumentPage,
  },
  unscheduleDocument: {
    method: 'POST',
    path: '/console/documents/unschedule',
    summary: 'Take back a version that is scheduled',
    permission: 'publish_documents',
    needsProof: true,
    input: aboutDocument,
    output: DocumentPage,
  },
} as const satisfies Record<string, ConsoleCall>

export type DocumentRow = z.infer<typeof DocumentRow>
export type DocumentPage = z.infer<typeof DocumentPage>
export type CappedCount = z.infer<typeof Count>
