import { useState } from 'react'
import type { Operator } from '#contract/receipts.ts'
import { DownloadIcon, PrintIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { refundTerms } from '#web/receipt/creditNote.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'

/** Saves a PDF, and says so if the browser can't make it. */
export function usePdf() {
  const [error, setError] = useState<string>()
  const save = async (download: () => Promise<void>) => {
    setError(undefined)
    try {
      await download()
    } catch (cause) {
      log('The PDF could not be made.', cause)
      setError('We couldn’t make the PDF. Please try again, or print the page instead.')
    }
  }
  return { save, error }
}

/** What a printed receipt says below; the foot of the page has the operator's name and address. */
export const TermsInPrint = ({ operator }: { operator: Operator }) => (
  <p className="small print-only">{refundTerms(operator)}</p>
)

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
