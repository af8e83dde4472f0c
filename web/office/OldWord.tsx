import type { ReactNode } from 'react'
import { Threshold } from './Threshold.tsx'

type OldWordProps = {
  title?: string
  /** What the server says about it; nothing when there was no word to ask about. */
  sentence: string | undefined
  children: ReactNode
}

/** A link from a letter that opens nothing, and the way to another. */
export const OldWord = ({ title = 'This link no longer works', sentence, children }: OldWordProps) => (
  <Threshold
    came="badly"
    title={sentence ? title : 'This link is not whole'}
    lead={sentence ?? 'Please open it from the letter once more, or ask for another letter.'}
  >
    {children}
  </Threshold>
)
