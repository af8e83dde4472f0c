import type { ReactNode } from 'react'
import { AlertIcon, InfoIcon } from '#web/icons.tsx'

type NoticeProps = { tone?: 'info' | 'alert'; title?: ReactNode; children: ReactNode; role?: 'status' | 'alert' }

/** A box with information or an error. */
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
