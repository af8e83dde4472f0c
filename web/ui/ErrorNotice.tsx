import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

/** Always rendered, even when empty, so that screen readers announce the message when it appears. */
export const ErrorNotice = ({ message, children }: { message: string | undefined; children?: ReactNode }) => (
  <div role="alert">
    {message && (
      <Notice tone="alert">
        {message} {children}
      </Notice>
    )}
  </div>
)
