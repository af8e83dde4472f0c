import { type ReactNode, useEffect, useRef } from 'react'
import { updatePageTitle } from '../../wizard/currentStep.ts'

type ScreenProps = {
  title: string
  /** The id of what a screen reader reads right after the title. */
  describedBy?: string
  children: ReactNode
}

/** PAYMENT without its form. Focuses its heading, as a new step does. */
export function Screen({ title, describedBy, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    updatePageTitle(title)
    scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
    return () => updatePageTitle() // the form comes back without a move
  }, [title])
  return (
    <div className="screen">
      <h1 tabIndex={-1} ref={heading} aria-describedby={describedBy}>
        {title}
      </h1>
      {children}
    </div>
  )
}
