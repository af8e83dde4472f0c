import type { ReactNode } from 'react'
import { SignedOutFrame } from './SignedOutFrame.tsx'

type ExpiredLinkProps = {
  title?: string
  /** The server's answer; undefined if the link had no token to send. */
  message: string | undefined
  children: ReactNode
}

/** A link from an email that does not work, and what to do instead. */
export const ExpiredLink = ({ title = 'This link no longer works', message, children }: ExpiredLinkProps) => (
  <SignedOutFrame
    result="failure"
    title={message ? title : 'This link is incomplete'}
    lead={message ?? 'Open the link from your email again, or request a new one.'}
  >
    {children}
  </SignedOutFrame>
)
