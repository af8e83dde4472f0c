import { useState } from 'react'
import { DownloadIcon, PrintIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'

/** Saves a PDF, and says so if the browser can't make it. */
export function usePdf() {
  const [error, setError] = useState<string>()
  const save = (download: () => void) => {
    setError(undefined)
    try {
      download()
    } catch (cause) {
      log('The PDF could not be made.', cause)
      setError("Your browser couldn't make the PDF. Please print the page instead.")
    }
  }
  return { save, error }
}

type PrintOrSaveProps = { error: string | undefined; onSave: () => void }

export const PrintOrSave = ({ error, onSave }: PrintOrSaveProps) => (
  <>
    <ErrorNotice message={error} />
    <div className="receipt-actions">
      <button type="button" className="button quiet" onClick={onSave}>
        <DownloadIcon />
        Download PDF
      </button>
      <button type="button" className="button quiet" onClick={() => print()}>
        <PrintIcon />
        Print
      </button>
    </div>
  </>
)
