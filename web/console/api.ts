import { createContext, useContext } from 'react'
import type { ConsoleSession } from '#contract/console/access.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { mayDo, type Permission, PROOF_NEEDED } from '#contract/console/permissions.ts'
import { clientOf } from '#web/api.ts'
import { type CallOptions, RejectedCall } from '#web/call.ts'

/** The calls as they are: for signing in and for the proof itself. */
export const plainApi = clientOf(consoleCalls)
export type Api = typeof plainApi

type Helpers = {
  /** Asks for a passkey, or for password and code. Rejects if the person does not want to. */
  prove: () => Promise<void>
  /** The session has ended: asks the colleague to sign in again, over the screen. Rejects if they leave instead. */
  signInAgain: () => Promise<void>
  /** Something was changed, so what the frame shows may be out of date. */
  onChanged: () => void
}

/** The same calls; one that needs a session or a fresh proof asks for it and is sent again. */
export function withProof({ prove, signInAgain, onChanged }: Helpers): Api {
  type Send = (input: Record<string, unknown>, options?: CallOptions) => Promise<unknown>
  const wrap =
    (send: Send): Send =>
    async (...call) => {
      try {
        return await send(...call)
      } catch (cause) {
        if (!(cause instanceof RejectedCall)) throw cause
        if (cause.status === 401) await signInAgain()
        else if (cause.status === PROOF_NEEDED) await prove()
        else throw cause
        return send(...call)
      }
    }
  return Object.fromEntries(
    Object.entries(plainApi).map(([name, send]) => {
      const wrapped = wrap(send as unknown as Send)
      const isChange = consoleCalls[name as keyof Api].method === 'POST'
      return [name, isChange ? (...call: Parameters<Send>) => wrapped(...call).finally(onChanged) : wrapped]
    }),
  ) as unknown as Api
}

/** What every screen needs: the calls, and who is signed in. */
export type ConsoleContext = {
  api: Api
  session: ConsoleSession & { staff: NonNullable<ConsoleSession['staff']> }
  may: (permission: Permission) => boolean
}

export const ConsoleContext = createContext<ConsoleContext | undefined>(undefined)

export function useConsole(): ConsoleContext {
  const context = useContext(ConsoleContext)
  if (!context) throw new Error('This screen needs someone who is signed in.')
  return context
}

export const permissionCheck =
  ({ staff }: ConsoleContext['session']) =>
  (permission: Permission) =>
    mayDo(staff.role, permission)
