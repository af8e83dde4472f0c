import { Fragment, useState } from 'react'
import type { LegalDocument } from '#contract/api.ts'
import { ask } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { focusField } from '#web/form/Field.tsx'
import { log } from '#web/log.ts'
import { Notice } from '#web/ui/Notice.tsx'
import type { PaymentForm } from './form.ts'
import type { Documents } from './useDocuments.ts'

type AgreementsProps = {
  form: PaymentForm
  documents: Documents
  /** The text of the second checkbox: what the order costs now and every month. */
  consent: string
}

/** The legal documents of checkout, and the monthly charge. */
export function Agreements({ form, documents, consent }: AgreementsProps) {
  const documentsBox = form.field('agreement_1')
  const consentBox = form.field('agreement_2')
  const fetchAgain = () => {
    focusField(documentsBox.name) // the pressed button is removed
    documents.fetchAgain()
  }
  const [failedTitle, setFailedTitle] = useState<string>()
  const open = ({ title, content }: LegalDocument) => {
    setFailedTitle(undefined)
    ask({ title, body: <LegalText html={content} />, confirm: 'Close' }).catch((cause: unknown) => {
      log('The document could not be opened.', cause)
      setFailedTitle(title)
    })
  }
  return (
    <section className="agreements" aria-label="Agreements">
      {documents.state === 'failed' && (
        <Notice tone="alert" role="alert" title="The documents could not be loaded.">
          Please check your connection and{' '}
          <button type="button" className="link" onClick={fetchAgain}>
            try again
          </button>
          .
        </Notice>
      )}
      {failedTitle && (
        <Notice tone="alert" role="alert" title={`The ${failedTitle} could not be opened.`}>
          Please check your connection and try again.
        </Notice>
      )}
      <Checkbox {...documentsBox}>
        {documents.state === 'loaded' && !documents.list.length ? (
          <label htmlFor={documentsBox.name}>I agree to the terms of this membership.</label>
        ) : (
          <>
            <label htmlFor={documentsBox.name}>I have read and agree to the </label>
            <Titles name={documentsBox.name} documents={documents} onOpen={open} />
            <label htmlFor={documentsBox.name}>.</label>
          </>
        )}
      </Checkbox>
      <Checkbox {...consentBox}>
        <label htmlFor={consentBox.name}>{consent}</label>
      </Checkbox>
    </section>
  )
}

type TitlesProps = { name: string; documents: Documents; onOpen: (document: LegalDocument) => void }

/** 'Terms of Membership, the Privacy Policy and the Membership Agreement', each a button that opens it. */
function Titles({ name, documents, onOpen }: TitlesProps) {
  const { list, state } = documents
  if (!list.length)
    return (
      <label htmlFor={name} className={state === 'loading' ? 'waiting' : undefined}>
        legal documents of this membership
      </label>
    )
  return list.map((document, index) => (
    <Fragment key={document.id}>
      {index > 0 && <label htmlFor={name}>{index === list.length - 1 ? ' and the ' : ', the '}</label>}
      <button type="button" className="link" aria-haspopup="dialog" onClick={() => onOpen(document)}>
        {document.title}
      </button>
    </Fragment>
  ))
}
