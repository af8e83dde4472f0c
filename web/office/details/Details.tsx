import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { showPhone } from '#web/form/showPhone.ts'
import { EmailText } from '#web/ui/EmailText.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { Fold, openFold } from '../Fold.tsx'
import type { Office } from '../useOffice.ts'
import { changeForms, type EditableDetail } from './changeForms.tsx'
import { PictureRow } from './PictureRow.tsx'
import { SendEmailLink } from './SendEmailLink.tsx'

/** A new object each time a form opens, so that a late answer can tell whether its form is still the open one. */
type OpenForm = { detail: EditableDetail }

/** The member's details. Only one can be edited at a time. */
export function Details({ office }: { office: Office }) {
  const { view } = office
  const [openForm, setOpenForm] = useState<OpenForm>()
  const latestForm = useRef(openForm) // for answers that arrive after a later render

  const show = (form: OpenForm | undefined) => {
    latestForm.current = form
    flushSync(() => setOpenForm(form))
  }
  const open = (detail: EditableDetail) => {
    office.clearSuccess()
    show({ detail })
    document.querySelector<HTMLElement>('.change-form [name]:not([hidden])')?.focus()
  }
  const cancel = (detail: EditableDetail) => {
    show(undefined)
    document.getElementById(buttonId(detail))?.focus()
  }
  /** If the member has moved on to another form while this one was saving, that form and its focus stay. */
  const finish = (form: OpenForm, message: string, view?: OfficeView) => {
    const isStillOpen = latestForm.current === form
    if (isStillOpen) show(undefined)
    office.showSuccess({ section: 'details', message, view, focus: isStillOpen ? buttonId(form.detail) : undefined })
  }
  const row = (detail: EditableDetail, label: string, value: ReactNode, isFixed = false) => {
    const ChangeForm = changeForms[detail]
    return openForm?.detail === detail ? (
      <div className="editing">
        <dt>{label}</dt>
        <dd>
          <ChangeForm
            view={view}
            onCancel={() => cancel(detail)}
            onDone={(message, view) => finish(openForm, message, view)}
          />
        </dd>
      </div>
    ) : (
      <div>
        <dt>{label}</dt>
        <dd>{value}</dd>
        {!isFixed && (
          <dd>
            <button type="button" className="link" id={buttonId(detail)} onClick={() => open(detail)}>
              Change<span className="unseen"> {label.toLowerCase()}</span>
            </button>
          </dd>
        )}
      </div>
    )
  }

  return (
    <Fold id="details" title="Your details" note={`${view.first_name} ${view.last_name}`}>
      <SuccessNotice message={office.successIn('details')} />
      <dl className="details">
        <PictureRow office={office} />
        {row(
          'name',
          'Name',
          <>
            {view.first_name} {view.last_name}
            {view.business_name && <span className="detail-note">Visitors see {view.business_name}.</span>}
          </>,
        )}
        {row(
          'username',
          'Username',
          <>
            {view.username}
            {view.username_fixed_until && (
              <span className="detail-note">You can change it again from {longDay(view.username_fixed_until)} on.</span>
            )}
          </>,
          Boolean(view.username_fixed_until),
        )}
        {row(
          'mobile_phone',
          'Phone',
          <>
            {showPhone(view.mobile_phone)}
            {view.unconfirmed_phone && (
              <span className="detail-note">
                We sent a code to <strong>{showPhone(view.unconfirmed_phone)}</strong>. Press Change to enter it.
              </span>
            )}
          </>,
        )}
        {row(
          'email',
          'Email',
          <>
            <EmailText email={view.email} />
            {!view.is_email_confirmed && !view.email_notice && (
              <span className="detail-note">
                Not confirmed yet. <SendEmailLink view={view} label="Send a confirmation link" />
              </span>
            )}
            {view.unconfirmed_email && (
              <span className="detail-note">
                We sent a link to{' '}
                <strong>
                  <EmailText email={view.unconfirmed_email} />
                </strong>
                . Open it to confirm your new address. No email? Check your spam folder.
              </span>
            )}
          </>,
        )}
        {row('password', 'Password', '••••••••')}
      </dl>
    </Fold>
  )
}

/** As if the member had pressed Change. */
export const openDetail = (detail: EditableDetail) => {
  openFold('details')
  document.getElementById(buttonId(detail))?.click()
}

const buttonId = (detail: EditableDetail) => `change-${detail}`
