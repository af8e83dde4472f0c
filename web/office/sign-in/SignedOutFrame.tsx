import { type ReactNode, useEffect, useRef } from 'react'
import { Header } from '#web/Header.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { Scene } from '../Scene.tsx'

type SignedOutFrameProps = {
  title: string
  lead: ReactNode
  /** Set when the screen follows an action: the heading gets the focus, and a failure is announced. */
  result?: 'success' | 'failure'
  /** The screen works without a script. */
  isPlain?: boolean
  children?: ReactNode
}

/** The layout of every office screen that needs no session. */
export function SignedOutFrame({ title, lead, result, isPlain, children }: SignedOutFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (result) heading.current?.focus()
  }, [result])
  return (
    <>
      <Header />
      <div className="signed-out">
        <main>
          <div role={result === 'failure' ? 'alert' : undefined}>
            <h1 id="heading" ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p className="lead">{lead}</p>
          </div>
          {!isPlain && (
            <noscript>
              <Notice tone="alert">The office needs JavaScript. Please turn it on and reload the page.</Notice>
            </noscript>
          )}
          {children}
        </main>
        <Scene />
      </div>
    </>
  )
}
