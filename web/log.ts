/** Notes something that the visitor need not hear about. */
export const log = (what: string, cause: unknown): void => {
  // biome-ignore lint/suspicious/noConsole: the one place that writes to the browser's console
  console.warn(what, cause)
}
