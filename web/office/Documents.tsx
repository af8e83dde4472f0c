import { useState } from 'react'
import type { OfficeView } from '#contract/office-calls.ts'
import { plainDay } from '#web/dates.ts'
import { ask } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { DownloadIcon } from '#web/laterIcons.tsx'
import { officeApi } from './api.ts'
import { asMember } from './asMember.ts'
import { Failure } from './Failure.tsx'
import { sentenceOf } from './sentenceOf.ts'

type Accepted = OfficeView['accepted'][number]

/** What the member agreed to, in the very words, and the proof of it. */
export function Documents({ accepted }: { accepted: Accepted[] }) {
  const [opening, setOpening] = useState<string>()
  const [failure, setFailure] = useState<string>()

  const read = async ({ title, version, sha256 }: Accepted) => {
    if (opening) return
    setOpening(sha256)
    setFailure(undefined)
    try {
      const { content } = await asMember(officeApi.getAcceptedText({ sha256 }))
      setOpening(undefined)
      await ask({ title: `${title}, version ${version}`, body: <LegalText html={content} />, confirm: 'Close' })
    } catch (cause) {
      setOpening(undefined)
      setFailure(sentenceOf(cause))
    }
  }

  return (
    <section className="card" aria-labelledby="documents">
      <h2 id="documents">What you agreed to</h2>
      <Failure sentence={failure} />
      <ul className="documents">
        {accepted.map((document) => (
          <li key={document.sha256}>
            <button
              type="button"
              className="link"
              aria-haspopup="dialog"
              aria-busy={opening === document.sha256 || undefined}
              onClick={() => read(document)}
            >
              {document.title}
            </button>
            <p className="small">
              Version {document.version}, accepted on {plainDay(document.accepted_at)}
            </p>
            <details>
              <summary>
                SHA-256 <code>{document.sha256.slice(0, 8)}…</code>
                <span className="unseen"> of {document.title}</span>
              </summary>
              <code>{document.sha256}</code>
            </details>
          </li>
        ))}
      </ul>
      <a className="button quiet" href="/office/consent.json" download>
        <DownloadIcon />
        Download, signed
      </a>
      <p className="small">All of these texts in one file. Anybody can check with our public key that it is genuine.</p>
    </section>
  )
}
