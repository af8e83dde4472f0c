/** What went wrong, if it was said to be read. A TypeError was not: it is a bug, or a file that could not be fetched. */
export const readableMessage = (cause: unknown): string | undefined =>
  cause instanceof Error && !(cause instanceof TypeError) && cause.message ? cause.message : undefined
