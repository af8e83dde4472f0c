/** No network, or no answer in time. What the server did, if anything, is not known. */
export class Unreachable extends Error {}

/** Resolves when the browser is online. */
export const whenOnline = (): Promise<unknown> =>
  new Promise((resolve) => {
    if (navigator.onLine) resolve(undefined)
    else addEventListener('online', resolve, { once: true })
  })

/** The only caller of `fetch` in the browser. */
export const request = (url: string, options?: RequestInit): Promise<Response> =>
  fetch(url, options).catch((cause: unknown) => {
    throw new Unreachable('The server did not answer.', { cause })
  })
