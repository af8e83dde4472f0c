import type { ReactNode } from 'react'
import { Header } from '#web/Header.tsx'

type MessageProps = { code?: string; title: string; children: ReactNode; action: ReactNode }

/** A page with one message and one action. */
export function Message({ code, title, children, action }: MessageProps) {
  return (
    <div className="page">
      <Header />
      <main className="message">
        <DoorDrawing />
        {code && <p className="status-code">{code}</p>}
        <h1>{title}</h1>
        <p className="lead">{children}</p>
        {action}
      </main>
    </div>
  )
}

/** Decoration: a door, with the hills of the office's drawing behind it. */
const DoorDrawing = () => (
  <svg className="door" viewBox="0 0 320 200" aria-hidden="true" focusable="false">
    <circle className="door-sun" cx="160" cy="92" r="84" />
    <circle className="door-sun near" cx="160" cy="92" r="58" />
    <path className="door-hill far" d="M0 146c52-32 104-34 152-16 56 20 108 8 168-22v92H0z" />
    <path className="door-hill" d="M0 172c90-16 230-16 320 0v28H0z" />
    <path className="door-frame" d="M116 178V92a44 44 0 0 1 88 0v86h-14V92a30 30 0 0 0-60 0v86z" />
    <path className="door-leaf" d="M130 178V90c-3-16-14-27-30-30v128z" />
    <circle className="door-knob" cx="107" cy="128" r="3" />
  </svg>
)
