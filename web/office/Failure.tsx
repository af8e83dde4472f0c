import type { ReactNode } from 'react'
import { Notice } from '#web/Notice.tsx'

/** Room for what went wrong, so that ears hear it when it comes. */
export const Failure = ({ sentence, children }: { sentence: string | undefined; children?: ReactNode }) => (
  <div role="alert">
    {sentence && (
      <Notice tone="alert">
        {sentence} {children}
      </Notice>
    )}
  </div>
)
