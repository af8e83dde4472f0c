import type { Draft } from '#web/storage.ts'

/** Whether two drafts have the same answers. */
export const isSameDraft = (one: Draft, other: Draft): boolean =>
  Object.keys({ ...one, ...other }).every((name) => one[name as keyof Draft] === other[name as keyof Draft])
