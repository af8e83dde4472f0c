import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { ChevronIcon } from '#web/icons.tsx'

type FoldProps = { id: string; title: string; note?: string; children: ReactNode }

/** A section that shows only its heading until it is opened. A link to it opens it. */
export function Fold({ id, title, note, children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const openIfLinked = useEffectEvent(() => {
    if (location.hash !== `#${id}`) return
    openFold(id)
    details.current?.scrollIntoView()
  })
  const openIfPressed = useEffectEvent(({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest(`a[href="#${id}"]`)) openFold(id) // the address may not change
  })
  useEffect(() => {
    openIfLinked()
    addEventListener('hashchange', openIfLinked)
    addEventListener('click', openIfPressed)
    return () => {
      removeEventListener('hashchange', openIfLinked)
      removeEventListener('click', openIfPressed)
    }
  }, [])
  return (
    <section className="card fold" aria-labelledby={id}>
      <details ref={details}>
        <summary className="unfold fold-head">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          {note && <span className="fold-note">{note}</span>}
          <ChevronIcon />
        </summary>
        <div className="fold-body">{children}</div>
      </details>
    </section>
  )
}

/** Opens the section with this heading, if it can be folded. */
export const openFold = (id: string) => {
  const details = document.getElementById(id)?.closest('details')
  if (details) details.open = true
}
