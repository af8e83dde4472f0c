/** Nobody answered: no network, or no answer in time. What the server did, if anything, is not known. */
export class Unreachable extends Error {}

/** The only door to the server. */
export const request = (url: string, request?: RequestInit): Promise<Response> =>
  fetch(url, request).catch((cause: unknown) => {
    throw new Unreachable('The server did not answer.', { cause })
  })
