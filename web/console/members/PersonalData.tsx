import { useState } from 'react'
import type { MemberPage } from '#contract/console/member-page.ts'
import { ActionButton } from '#web/ui/ActionButton.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { useConsole } from '../api.ts'
import { Panel } from '../parts.tsx'
import type { MemberAction } from './memberActions.tsx'

type PersonalDataProps = { member: MemberPage; onAction: (action: MemberAction) => void }

/** For a person who asks what we hold about them, or wants to be forgotten. */
export function PersonalData({ member, onAction }: PersonalDataProps) {
  const { api } = useConsole()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { filename, content } = await api.exportPerson({ member_id: member.id })
      saveJson(filename, content)
    } catch (cause) {
      setError(errorMessage(cause))
    }
    setBusy(false)
  }
  return (
    <Panel title="Personal data">
      <p className="small">Export everything we hold about {member.first_name}, or erase it for good.</p>
      <ErrorNotice message={error} />
      <div className="row-actions">
        <ActionButton quiet busy={busy} run={run}>
          Export as JSON
        </ActionButton>
        <button type="button" className="button quiet danger" onClick={() => onAction({ kind: 'erase' })}>
          Erase
        </button>
      </div>
    </Panel>
  )
}

function saveJson(filename: string, content: unknown) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it late
}
