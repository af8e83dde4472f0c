import { type ReactNode, useEffect, useRef } from 'react'
import { updatePageTitle } from '../../wizard/currentStep.ts'

/** PAYMENT without its form. Focuses its heading, as a new step does. */
export function Screen({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    updatePageTitle(title)
    scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
    return () => updatePageTitle() // the form comes back without a move
  }, [title])
  return (
    <div className="screen">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </div>
  )
}
