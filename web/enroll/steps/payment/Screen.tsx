import { type ReactNode, useEffect } from 'react'
import { brand } from '#contract/brand.ts'

const nameTab = (name: string) => {
  document.title = `${name} · ${brand.name}`
}

/** A screen of PAYMENT without its form. Its heading takes the focus, as that of a step does. */
export function Screen({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    nameTab(title)
    scrollTo(0, 0)
    document.getElementById('heading')?.focus({ preventScroll: true })
    return () => {
      nameTab(document.getElementById('heading')?.textContent ?? '') // the form comes without a move
    }
  }, [title])
  return (
    <div className="screen">
      <h1 id="heading" tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  )
}
