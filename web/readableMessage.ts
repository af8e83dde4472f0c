/** The message of an error that was written to be read. A TypeError is a bug, or a script that could not be loaded. */
export const readableMessage = (cause: unknown): string | undefined =>
  cause instanceof Error && !(cause instanceof TypeError) && cause.message ? cause.message : undefined
