import type * as z from 'zod/mini'
import { type Call, calls } from '#contract/api.ts'
import { type CallOptions, sendCall } from './call.ts'

type Client<Calls extends Record<string, Call>> = {
  [Name in keyof Calls]: (
    input: z.infer<Calls[Name]['input']>,
    options?: CallOptions,
  ) => Promise<z.infer<Calls[Name]['output']>>
}

/** A client with one function for each call. */
export const clientOf = <Calls extends Record<string, Call>>(calls: Calls) =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (input: Record<string, unknown>, options?: CallOptions) => sendCall(call, input, options),
    ]),
  ) as unknown as Client<Calls>

export const api = clientOf(calls)
