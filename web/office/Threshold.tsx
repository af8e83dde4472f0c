import { type ReactNode, useEffect, useRef } from 'react'
import { Header } from '#web/Header.tsx'
import { Notice } from '#web/Notice.tsx'
import { Scene } from './Scene.tsx'

type ThresholdProps = {
  title: string
  lead: ReactNode
  /** This came after something was pressed or tried: it gets the focus, and is read out when it is bad news. */
  came?: 'well' | 'badly'
  children?: ReactNode
}

/** What all screens in front of the office share: a heading, a sentence, a way on, and a view of where it leads. */
export function Threshold({ title, lead, came, children }: ThresholdProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (came) heading.current?.focus()
  }, [came])
  return (
    <>
      <Header />
      <div className="threshold">
        <main>
          <div role={came === 'badly' ? 'alert' : undefined}>
            <h1 id="heading" ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p className="lead">{lead}</p>
          </div>
          <noscript>
            <Notice tone="alert">The office needs JavaScript. Please switch it on and load the page again.</Notice>
          </noscript>
          {children}
        </main>
        <Scene />
      </div>
    </>
  )
}
