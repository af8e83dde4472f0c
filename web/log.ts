/** Logs something that the visitor does not need to know. */
export const log = (message: string, cause: unknown): void => {
  // biome-ignore lint/suspicious/noConsole: the only place that writes to the browser's console
  console.warn(message, cause)
}
