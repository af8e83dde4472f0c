import { useEffect, useEffectEvent, useState } from 'react'
import type { PackagePage } from '#contract/console/packages.ts'
import { showAmount } from '#contract/money.ts'
import { ConfirmDialog } from '#web/ui/FormDialog.tsx'
import { PictureButton } from '#web/ui/PictureButton.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { Chip, Facts, Panel, showTime, Title, Waiting } from '../parts.tsx'
import { Link } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { groupTexts } from './groupTexts.ts'
import { EditPackage } from './PackageForm.tsx'
import { PriceDialog } from './PriceDialog.tsx'
import { type Volume, Volumes, VolumesDialog } from './Volumes.tsx'

type Action = 'edit' | 'prices' | Volume | 'withdraw' | 'offer'
const POLL_MS = 2000

/** One package: what it is, its picture, its prices, and how far members have been told of a new one. */
export function PackageScreen({ id }: { id: string }) {
  const { api } = useConsole()
  const product_id = Number(id)
  const loaded = useLoaded(id, () => api.getPackage({ product_id }))
  const [action, setAction] = useState<Action>()
  const [success, setSuccess] = useState<string>()
  const { data: offer, setData } = loaded
  usePolling(Boolean(offer?.price_changes.some(({ done_at }) => !done_at)), loaded.reload)
  if (!offer) return <Waiting loaded={loaded} />
  const done = (message: string) => (page: PackagePage) => {
    setData(page)
    setSuccess(message)
    setAction(undefined)
  }
  const close = () => setAction(undefined)
  return (
    <>
      <Title>{offer.name}</Title>
      <div className="screen-head">
        <div>
          <p className="small">
            <Link to="/console/packages">Packages</Link>
          </p>
          <h1>
            {offer.name} {offer.withdrawn_at ? <Chip tone="warn">withdrawn</Chip> : <Chip tone="good">offered</Chip>}
          </h1>
          <p className="lead">{offer.description}</p>
        </div>
      </div>
      <SuccessNotice message={success} />
      <div className="member-grid">
        <About offer={offer} onAction={setAction} onPicture={done('The picture is changed.')} />
        <div className="stack">
          <Prices offer={offer} onChange={() => setAction('prices')} />
          <Volumes offer={offer} onChange={setAction} />
        </div>
      </div>
      {action === 'edit' && <EditPackage offer={offer} onClose={close} onDone={done('The package is changed.')} />}
      {action === 'prices' && <PriceDialog offer={offer} onClose={close} onDone={done('The prices are changed.')} />}
      {typeof action === 'object' && (
        <VolumesDialog offer={offer} volume={action} onClose={close} onDone={done('The volumes are set.')} />
      )}
      {action === 'withdraw' && <Offering offer={offer} onClose={close} onDone={done('It is withdrawn.')} />}
      {action === 'offer' && <Offering offer={offer} onClose={close} onDone={done('It is offered again.')} />}
    </>
  )
}

/** Looks again while a job is running. It can be left and come back to. */
function usePolling(isRunning: boolean, reload: () => void) {
  const look = useEffectEvent(reload)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => look(), POLL_MS)
    return () => clearInterval(timer)
  }, [isRunning])
}

type AboutProps = { offer: PackagePage; onAction: (action: Action) => void; onPicture: (page: PackagePage) => void }

function About({ offer, onAction, onPicture }: AboutProps) {
  const { api, may } = useConsole()
  const { product_id, withdrawn_at } = offer
  return (
    <Panel title="Package">
      <img className="package-picture" src={offer.image_url} alt={offer.name} width="720" height="296" />
      <Facts
        facts={[
          ['Number', String(product_id)],
          ['List', groupTexts[offer.group]],
          ['Shipped', offer.ships ? 'yes' : 'no'],
          ...(offer.is_preselected ? [['Default', 'yes'] as [string, string]] : []),
        ]}
      />
      {may('manage_catalog') && (
        <div className="row-actions">
          <button type="button" className="button quiet" onClick={() => onAction('edit')}>
            Edit
          </button>
          <PictureButton
            width={720}
            height={296}
            send={async (picture) => onPicture(await api.setPackagePicture({ product_id, picture }))}
          >
            Change the picture
          </PictureButton>
          <button
            type="button"
            className={withdrawn_at ? 'button quiet' : 'button quiet danger'}
            onClick={() => onAction(withdrawn_at ? 'offer' : 'withdraw')}
          >
            {withdrawn_at ? 'Offer it again' : 'Withdraw'}
          </button>
        </div>
      )}
    </Panel>
  )
}

function Prices({ offer, onChange }: { offer: PackagePage; onChange: () => void }) {
  const { session, may } = useConsole()
  return (
    <Panel title="Prices">
      <Facts
        facts={[
          ['Today', showAmount(offer.price)],
          ['Renews', offer.renewal_price ? `${showAmount(offer.renewal_price)} a ${offer.billing_interval}` : 'never'],
        ]}
      />
      {may('manage_catalog') && (
        <button type="button" className="button quiet" onClick={onChange}>
          Change prices
        </button>
      )}
      <ul className="rows">
        {offer.price_changes.map((change) => (
          <li key={change.made_at}>
            <div>
              <p>
                {showAmount(change.old_price)} → {showAmount(change.new_price)}{' '}
                {change.done_at ? <Chip tone="good">done</Chip> : <Chip tone="warn">in progress</Chip>}
              </p>
              <p className="small" role="status">
                {change.told === 1 ? 'One member' : `${change.told.toLocaleString('en-US')} members`}
                {change.done_at ? '' : ' so far'} · {change.notice_days} days of notice
              </p>
              <p className="small">
                {showTime(change.made_at, session.time_zone)} · {change.made_by}
              </p>
              <p className="reason">“{change.reason}”</p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

type OfferingProps = { offer: PackagePage; onClose: () => void; onDone: (page: PackagePage) => void }

function Offering({ offer, onClose, onDone }: OfferingProps) {
  const { api } = useConsole()
  const { product_id, name, withdrawn_at, is_preselected } = offer
  const send = async () =>
    onDone(await (withdrawn_at ? api.offerPackage({ product_id }) : api.withdrawPackage({ product_id })))
  const first = is_preselected ? ' It’s the default: without it, every visitor has to choose.' : ''
  return (
    <ConfirmDialog
      title={withdrawn_at ? `Offer ${name} again?` : `Withdraw ${name}?`}
      text={
        withdrawn_at
          ? 'Visitors can choose it immediately.'
          : `Visitors can no longer choose it. Members who have it keep it and go on paying for it.${first}`
      }
      submitLabel={withdrawn_at ? 'Offer it' : 'Withdraw'}
      send={send}
      onClose={onClose}
    />
  )
}
