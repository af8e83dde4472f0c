import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { OfficeView } from '#contract/office-calls.ts'
import { showPhone } from '#web/form/showPhone.ts'
import { type Change, changes } from './changes.tsx'
import { Told } from './Told.tsx'
import type { Office } from './useOffice.ts'

/** One opening of a form; the next one of the same kind is another. */
type Opened = { change: Change }

/** Who the member is, and how they change that. One form at a time. */
export function Details({ office }: { office: Office }) {
  const { view } = office
  const [open, setOpen] = useState<Opened>()
  const shown = useRef(open) // known to an answer that comes late, too

  const show = (next: Opened | undefined) => {
    shown.current = next
    flushSync(() => setOpen(next))
  }
  const begin = (change: Change) => {
    office.hush()
    show({ change })
    document.querySelector<HTMLElement>('.change [name]:not([hidden])')?.focus()
  }
  const leave = (change: Change) => {
    show(undefined)
    document.getElementById(buttonOf(change))?.focus()
  }
  /** A form that was left while it was being saved disturbs nobody who is elsewhere by now. */
  const finish = (form: Opened, news: string, told?: OfficeView) => {
    const isHere = shown.current === form
    if (isHere) show(undefined)
    office.tell('details', news, isHere ? buttonOf(form.change) : undefined, told)
  }
  const row = (change: Change, name: string, value: ReactNode) => {
    const Form = changes[change]
    return open?.change === change ? (
      <div className="changing">
        <dt>{name}</dt>
        <dd>
          <Form view={view} onCancel={() => leave(change)} onDone={(news, told) => finish(open, news, told)} />
        </dd>
      </div>
    ) : (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
        <dd>
          <button type="button" className="link" id={buttonOf(change)} onClick={() => begin(change)}>
            Change<span className="unseen"> {name.toLowerCase()}</span>
          </button>
        </dd>
      </div>
    )
  }

  return (
    <section className="card" aria-labelledby="details">
      <h2 id="details">Your details</h2>
      <Told>{office.newsOf('details')}</Told>
      <dl className="details">
        <div>
          <dt>Name</dt>
          <dd>
            {view.first_name} {view.last_name}
          </dd>
        </div>
        <div>
          <dt>Username</dt>
          <dd>{view.username}</dd>
        </div>
        {row('mobile_phone', 'Phone', showPhone(view.mobile_phone))}
        {row(
          'email',
          'Email',
          <>
            {view.email}
            {view.unconfirmed_email && (
              <span className="waits">
                A letter is on its way to <strong>{view.unconfirmed_email}</strong>. That address counts as soon as you
                press the link in it.
              </span>
            )}
          </>,
        )}
        {row('password', 'Password', '••••••••')}
      </dl>
    </section>
  )
}

const buttonOf = (change: Change) => `change-${change}`
