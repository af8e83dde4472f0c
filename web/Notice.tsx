import type { ReactNode } from 'react'
import { AlertIcon, InfoIcon } from './icons.tsx'

type NoticeProps = { tone?: 'info' | 'alert'; title?: ReactNode; children: ReactNode; role?: 'status' | 'alert' }

/** A few sentences that stand apart: something to know, or something that did not work. */
export function Notice({ tone = 'info', title, children, role }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={role}>
      {tone === 'alert' ? <AlertIcon /> : <InfoIcon />}
      <div>
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  )
}
