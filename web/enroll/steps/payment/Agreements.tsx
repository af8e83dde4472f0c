import { Fragment, useState } from 'react'
import type { LegalDocument } from '#contract/api.ts'
import { subscriptionConsent } from '#contract/legal.ts'
import { ask } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { focusField } from '#web/form/focusField.ts'
import { log } from '#web/log.ts'
import { Notice } from '#web/Notice.tsx'
import type { PaymentForm } from './form.ts'
import type { Documents } from './useDocuments.ts'

/** What is agreed to: the documents of checkout, and the monthly charge. */
export function Agreements({ form, documents }: { form: PaymentForm; documents: Documents }) {
  const first = form.field('agreement_1')
  const second = form.field('agreement_2')
  const again = () => {
    focusField(first.name) // the button that was pressed goes
    documents.fetchAgain()
  }
  const [unopened, setUnopened] = useState<string>()
  const read = ({ title, content }: LegalDocument) => {
    setUnopened(undefined)
    ask({ title, body: <LegalText html={content} />, confirm: 'Close' }).catch((cause: unknown) => {
      log('The document could not be shown.', cause)
      setUnopened(title)
    })
  }
  return (
    <section className="agreements" aria-label="Agreements">
      {documents.state === 'failed' && (
        <Notice tone="alert" role="alert" title="The documents could not be loaded.">
          Please check your connection and{' '}
          <button type="button" className="link" onClick={again}>
            try again
          </button>
          .
        </Notice>
      )}
      {unopened && (
        <Notice tone="alert" role="alert" title={`The ${unopened} could not be opened.`}>
          Please check your connection and press it again.
        </Notice>
      )}
      <Checkbox {...first}>
        <label htmlFor={first.name}>I have read and agree to the </label>
        <Titles name={first.name} documents={documents} onRead={read} />
        <label htmlFor={first.name}>.</label>
      </Checkbox>
      <Checkbox {...second}>
        <label htmlFor={second.name}>{subscriptionConsent.text}</label>
      </Checkbox>
    </section>
  )
}

type TitlesProps = { name: string; documents: Documents; onRead: (found: LegalDocument) => void }

/** 'Terms of Membership, the Privacy Policy and the Membership Agreement', each to be opened. */
function Titles({ name, documents, onRead }: TitlesProps) {
  const { list, state } = documents
  if (!list.length)
    return (
      <label htmlFor={name} className={state === 'loading' ? 'waiting' : undefined}>
        legal documents of this membership
      </label>
    )
  return list.map((found, place) => (
    <Fragment key={found.id}>
      {place > 0 && <label htmlFor={name}>{place === list.length - 1 ? ' and the ' : ', the '}</label>}
      <button type="button" className="link" aria-haspopup="dialog" onClick={() => onRead(found)}>
        {found.title}
      </button>
    </Fragment>
  ))
}
