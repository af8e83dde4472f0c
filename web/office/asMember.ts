import { goTo } from './goTo.ts'
import { isSignedOut } from './sentenceOf.ts'

/** A press of somebody who is signed in. Whoever is not any more is led to where they can be. */
export async function asMember<Reply>(call: Promise<Reply>): Promise<Reply> {
  try {
    return await call
  } catch (cause) {
    if (isSignedOut(cause)) goTo('/office', 'You were signed out meanwhile. Please sign in again.')
    throw cause
  }
}
