import type { ReactNode } from 'react'
import { Header } from '#web/Header.tsx'

type MessageProps = { code?: string; title: string; children: ReactNode; way: ReactNode }

/** A whole page for one sentence and one way on. */
export function Message({ code, title, children, way }: MessageProps) {
  return (
    <div className="page">
      <Header />
      <main className="message">
        <Door />
        {code && <p className="code">{code}</p>}
        <h1>{title}</h1>
        <p className="lead">{children}</p>
        {way}
      </main>
    </div>
  )
}

/** A door that stands ajar, and nothing behind it. */
const Door = () => (
  <svg className="door" viewBox="0 0 240 180" aria-hidden="true" focusable="false">
    <path className="door-ground" d="M0 160h240" />
    <path className="door-light" d="M98 160h44l34 20H78z" />
    <path className="door-frame" d="M80 160V74a40 40 0 0 1 80 0v86z" />
    <path className="door-inside" d="M92 160V76a28 28 0 0 1 56 0v84z" />
    <path className="door-leaf" d="M92 160V76a28 28 0 0 1 14-24l-22-12c-8 8-12 20-12 34v98z" />
    <circle className="door-knob" cx="97" cy="112" r="2.5" />
  </svg>
)
