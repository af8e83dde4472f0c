import { useRef } from 'react'
import { CopyIcon } from '#web/laterIcons.tsx'
import { CopyButton } from '#web/ui/CopyButton.tsx'

/** A text that is shown once, and a button to copy it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const ref = useRef<HTMLPreElement>(null)
  const select = () => ref.current && getSelection()?.selectAllChildren(ref.current)
  return (
    <>
      <pre ref={ref} className="copy-text">
        {text}
      </pre>
      <CopyButton text={text} label={label} copied="Copied." icon={<CopyIcon />} select={select} quiet />
    </>
  )
}
