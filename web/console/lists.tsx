import { type MouseEvent, useState } from 'react'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { useConsole } from './api.ts'

/** What lists with filters share. */

/** Asks for the proof first: the browser would save a refusal as the file. */
export function ExportLink({ href }: { href: string }) {
  const { api } = useConsole()
  const [error, setError] = useState<string>()
  const start = async (event: MouseEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      await api.checkProof({})
      window.location.assign(href)
    } catch (cause) {
      setError(errorMessage(cause))
    }
  }
  return (
    <>
      <a className="button quiet" href={href} download onClick={start}>
        Export as CSV
      </a>
      <ErrorNotice message={error} />
    </>
  )
}

type TextFilterProps = { name: string; label: string; type?: 'date'; value: string | undefined }

export const TextFilter = ({ name, label, type, value }: TextFilterProps) => (
  <div className="field">
    <label htmlFor={name}>{label}</label>
    <input
      className="control"
      id={name}
      name={name}
      type={type ?? 'text'}
      defaultValue={value ?? ''}
      autoComplete="off"
    />
  </div>
)
