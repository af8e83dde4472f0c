import { useState } from 'react'
import { plainDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { ask } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { DownloadIcon } from '#web/laterIcons.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { Fold } from '../Fold.tsx'

type AcceptedDocument = OfficeView['accepted'][number]

/** The exact texts that the member accepted, and a signed copy of them. */
export function Documents({ accepted }: { accepted: AcceptedDocument[] }) {
  const [loading, setLoading] = useState<string>()
  const [error, setError] = useState<string>()

  const show = async ({ title, version, sha256 }: AcceptedDocument) => {
    if (loading) return
    setLoading(sha256)
    setError(undefined)
    try {
      const { content } = await redirectIfSignedOut(officeApi.getAcceptedText({ sha256 }))
      setLoading(undefined)
      await ask({ title: `${title}, version ${version}`, body: <LegalText html={content} />, confirm: 'Close' })
    } catch (cause) {
      setLoading(undefined)
      setError(errorMessage(cause))
    }
  }

  return (
    <Fold id="documents" title="What you agreed to">
      <ErrorNotice message={error} />
      <ul className="documents">
        {accepted.map((document) => (
          <li key={document.sha256}>
            <button
              type="button"
              className="link"
              aria-haspopup="dialog"
              aria-busy={loading === document.sha256 || undefined}
              onClick={() => show(document)}
            >
              {document.title}
            </button>
            <details>
              <summary>
                Verify<span className="unseen"> {document.title}</span>
              </summary>
              Version {document.version}, SHA-256 <code>{document.sha256}</code>
            </details>
            <p className="small">Accepted on {plainDay(document.accepted_on)}</p>
          </li>
        ))}
      </ul>
      <a className="button quiet" href="/office/consent.json" download>
        <DownloadIcon />
        Download signed copy
      </a>
      <p className="small">All of these documents in one file. Anyone can verify its signature with our public key.</p>
    </Fold>
  )
}
