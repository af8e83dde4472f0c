import { type ReactNode, useState } from 'react'
import { CheckIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { useTimeout } from '#web/useTimeout.ts'

const COPIED_MS = 4_000

type CopyButtonProps = {
  text: string
  icon: ReactNode
  label: string
  /** Announced to screen readers. */
  copied: string
  /** Selects the text on the page, for browsers that do not allow copying. */
  select: () => void
  quiet?: boolean
}

export function CopyButton({ text, icon, label, copied, select, quiet }: CopyButtonProps) {
  const [result, setResult] = useState<'copied' | 'selected'>()
  const isCopied = result === 'copied'
  useTimeout(() => setResult(undefined), isCopied ? COPIED_MS : undefined)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('copied')
    } catch (cause) {
      log('The text could not be copied.', cause)
      select()
      setResult('selected')
    }
  }
  return (
    <>
      <button type="button" className={quiet ? 'button quiet' : 'button'} onClick={copy}>
        {isCopied ? <CheckIcon /> : icon}
        {isCopied ? 'Copied' : label}
      </button>
      <p role="status" className={result === 'selected' ? 'copy-failed' : 'unseen'}>
        {isCopied && copied}
        {result === 'selected' &&
          'Your browser doesn’t allow copying. The text is selected, so you can copy it yourself.'}
      </p>
    </>
  )
}
