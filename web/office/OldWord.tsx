import type { ReactNode } from 'react'
import { Threshold } from './Threshold.tsx'

type OldWordProps = {
  /** What the server says about it; nothing when there was no word to ask about. */
  sentence: string | undefined
  children: ReactNode
}

/** A link from a letter that opens nothing, and the way to another. */
export const OldWord = ({ sentence, children }: OldWordProps) => (
  <Threshold
    came="badly"
    title={sentence ? 'This link no longer works' : 'This link is not whole'}
    lead={sentence ?? 'Please open it from the letter once more, or ask for another letter.'}
  >
    {children}
  </Threshold>
)
