import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { SponsorPage } from '#contract/console/sponsors.ts'
import { plainDay } from '#contract/days.ts'
import { Field } from '#web/form/Field.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/FormDialog.tsx'
import { PictureButton } from '#web/ui/PictureButton.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'
import { Facts, Panel, showTime, Title, Waiting } from '../parts.tsx'
import { Link, toQuery } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { ActiveChip } from './SponsorsScreen.tsx'

type Action = 'activate' | 'deactivate' | 'rename' | 'remove-picture'

/** One sponsor: the link, what it brings, and what staff can do. */
export function SponsorScreen({ id }: { id: string }) {
  const { api } = useConsole()
  const loaded = useLoaded(id, () => api.getSponsorPage({ sponsor_id: id }))
  const [action, setAction] = useState<Action>()
  const [success, setSuccess] = useState<string>()
  const { data: sponsor, setData } = loaded
  if (!sponsor) return <Waiting loaded={loaded} />
  const done = (message: string) => (page: SponsorPage) => {
    setData(page)
    setSuccess(message)
    setAction(undefined)
  }
  const dialog = { sponsor, onClose: () => setAction(undefined) }
  return (
    <>
      <Title>{sponsor.name}</Title>
      <div className="screen-head">
        <div>
          <p className="small">
            <Link to="/console/sponsors">Sponsors</Link>
          </p>
          <h1>
            <bdi>{sponsor.name}</bdi> <ActiveChip sponsor={sponsor} />
          </h1>
          <p className="lead">
            <a href={sponsor.link}>{`/${sponsor.site}`}</a>
          </p>
        </div>
      </div>
      <SuccessNotice message={success} />
      <div className="member-grid">
        <Days sponsor={sponsor} />
        <About sponsor={sponsor} onAction={setAction} onPicture={done('The picture is changed.')} />
      </div>
      {action === 'deactivate' && <Deactivate {...dialog} onDone={done('The link is switched off.')} />}
      {action === 'activate' && <Activate {...dialog} onDone={done('The link is active.')} />}
      {action === 'rename' && <Rename {...dialog} onDone={done('The link is renamed. The old one leads to it.')} />}
      {action === 'remove-picture' && <RemovePicture {...dialog} onDone={done('The picture is removed.')} />}
    </>
  )
}

type AboutProps = { sponsor: SponsorPage; onAction: (action: Action) => void; onPicture: (page: SponsorPage) => void }

function About({ sponsor, onAction, onPicture }: AboutProps) {
  const { api, may, session } = useConsole()
  const { member_id, active_until, earlier_sites, picture_url, is_active, is_main } = sponsor
  const facts: [string, ReactNode][] = [
    ...(member_id
      ? [
          [
            'Member',
            <Link key="member" to={`/console/members/${member_id}`}>
              {sponsor.name}
            </Link>,
          ] as [string, ReactNode],
        ]
      : []),
    ['Since', plainDay(sponsor.created_on)],
    ...(active_until ? [['Active until', showTime(active_until, session.time_zone)] as [string, string]] : []),
    ...(earlier_sites.length
      ? [['Earlier links', earlier_sites.map((site) => `/${site}`).join(', ')] as [string, string]]
      : []),
    [
      'Members',
      <Link key="members" to={`/console/members${toQuery({ sponsor: sponsor.site })}`}>
        Show
      </Link>,
    ],
  ]
  return (
    <Panel title="Sponsor">
      {picture_url && <img className="sponsor-picture" src={picture_url} alt={sponsor.name} width="96" height="96" />}
      <Facts facts={facts} />
      {may('manage_sponsors') && (
        <div className="row-actions">
          <PictureButton
            width={320}
            height={320}
            send={async (picture) => onPicture(await api.setSponsorPicture({ sponsor_id: sponsor.id, picture }))}
          >
            {picture_url ? 'Change the picture' : 'Add a picture'}
          </PictureButton>
          {picture_url && (
            <button type="button" className="button quiet" onClick={() => onAction('remove-picture')}>
              Remove the picture
            </button>
          )}
          {!member_id && !is_main && (
            <button type="button" className="button quiet" onClick={() => onAction('rename')}>
              Rename
            </button>
          )}
          {(!is_active || (active_until && !member_id)) && (
            <button type="button" className="button quiet" onClick={() => onAction('activate')}>
              Activate
            </button>
          )}
          {is_active && !is_main && (
            <button type="button" className="button quiet danger" onClick={() => onAction('deactivate')}>
              Deactivate
            </button>
          )}
        </div>
      )}
    </Panel>
  )
}

const plural = (count: number, noun: string) => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

function Days({ sponsor }: { sponsor: SponsorPage }) {
  const busy = sponsor.days.filter(({ visits, joins }) => visits + joins > 0).reverse()
  return (
    <Panel title="The last 30 days">
      <p>
        {plural(sponsor.visits, 'visit')}, {plural(sponsor.joins, 'join')}
      </p>
      {busy.length > 0 && (
        <table className="table days">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Visits</th>
              <th scope="col">Joins</th>
            </tr>
          </thead>
          <tbody>
            {busy.map(({ day, visits, joins }) => (
              <tr key={day}>
                <th scope="row">{plainDay(day)}</th>
                <td>{visits}</td>
                <td>{joins}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

type DialogProps = { sponsor: SponsorPage; onClose: () => void; onDone: (page: SponsorPage) => void }

function Activate({ sponsor, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title={`Activate /${sponsor.site}?`}
      text="Visitors can join through the link again."
      submitLabel="Activate"
      send={async () => onDone(await api.activateSponsor({ sponsor_id: sponsor.id }))}
      onClose={onClose}
    />
  )
}

function RemovePicture({ sponsor, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  return (
    <ConfirmDialog
      title="Remove the picture?"
      text="Visitors see the initials instead."
      submitLabel="Remove"
      send={async () => onDone(await api.removeSponsorPicture({ sponsor_id: sponsor.id }))}
      onClose={onClose}
    />
  )
}

const { last_day, reason } = consoleCalls.deactivateSponsor.input.shape

function Deactivate({ sponsor, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: { last_day: z.union([z.literal(''), last_day], 'Please enter a day.'), reason },
    send: async ({ last_day, reason }) =>
      onDone(await api.deactivateSponsor({ sponsor_id: sponsor.id, reason, ...(last_day ? { last_day } : {}) })),
  })
  return (
    <FormDialog
      title={`Deactivate /${sponsor.site}?`}
      text="Visitors who open the link are offered the main site instead. Members who joined through it stay."
      form={form}
      submitLabel="Deactivate"
      onClose={onClose}
    >
      {sponsor.member_id ? (
        <input type="hidden" name="last_day" value="" />
      ) : (
        <Field {...form.field('last_day')} label="Last day" optional hint="Now if empty" type="date" />
      )}
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}

function Rename({ sponsor, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const { site, reason } = consoleCalls.renameSponsor.input.shape
  const sponsor_id = sponsor.id
  const form = useEditForm({
    rules: { site, reason },
    page: sponsor,
    shownOf: ({ version, site }) => ({ version, values: { site } }),
    load: () => api.getSponsorPage({ sponsor_id }),
    save: (values, version) => api.renameSponsor({ sponsor_id, version, ...values }),
    onSaved: onDone,
    labels: { site: 'Word of the link' },
  })
  return (
    <FormDialog
      title={`Rename /${sponsor.site}?`}
      text="The old link leads to the new one permanently. Everyone who joined through it stays."
      form={form}
      submitLabel="Rename"
      onClose={onClose}
    >
      <Field {...form.field('site')} label="Word of the link" autoComplete="off" autoCapitalize="none" />
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
      {form.questions}
    </FormDialog>
  )
}
