import { useEffect, useRef, useState } from 'react'
import type { PackageRow } from '#contract/console/packages.ts'
import { showAmount } from '#contract/money.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { useConsole } from '../api.ts'
import { Chip, Panel, ScreenHead, Waiting } from '../parts.tsx'
import { Link, navigate } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { groupTexts } from './groupTexts.ts'
import { AddPackage } from './PackageForm.tsx'

const showPrices = ({ price, renewal_price, billing_interval }: PackageRow) =>
  renewal_price
    ? `${showAmount(price)} today, then ${showAmount(renewal_price)} a ${billing_interval}`
    : `${showAmount(price)} once`

/** What visitors can choose, list by list. */
export function PackagesScreen() {
  const { api, may } = useConsole()
  const loaded = useLoaded('packages', () => api.listPackages({}))
  const [isAdding, setAdding] = useState(false)
  const [error, setError] = useState<string>()
  const keepFocus = useKeptFocus()
  const { data, setData } = loaded
  const move = (product_id: number, direction: 'up' | 'down') => {
    setError(undefined)
    api.movePackage({ product_id, direction }).then(
      (list) => {
        keepFocus(`${direction}-${product_id}`, `${direction === 'up' ? 'down' : 'up'}-${product_id}`)
        setData(list)
      },
      (cause: unknown) => setError(errorMessage(cause)),
    )
  }
  return (
    <>
      <ScreenHead title="Packages" lead="What visitors can choose, in this order.">
        {may('manage_catalog') && (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a package
          </button>
        )}
      </ScreenHead>
      <ErrorNotice message={error} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        listsOf(data.packages).map(({ title, packages }) => (
          <Panel key={title} title={title}>
            <ul className="rows">
              {packages.map((offer, index) => (
                <li key={offer.product_id}>
                  <Summary offer={offer} />
                  {may('manage_catalog') && packages.length > 1 && (
                    <div className="row-actions">
                      {(['up', 'down'] as const).map((direction) => (
                        <button
                          key={direction}
                          type="button"
                          className="button quiet"
                          id={`${direction}-${offer.product_id}`}
                          aria-label={`Move ${offer.name} ${direction}`}
                          disabled={index === (direction === 'up' ? 0 : packages.length - 1)}
                          onClick={() => move(offer.product_id, direction)}
                        >
                          {direction === 'up' ? '↑' : '↓'}
                        </button>
                      ))}
                    </div>
                  )}
                </li>
              ))}
            </ul>
          </Panel>
        ))
      )}
      {isAdding && (
        <AddPackage
          onClose={() => setAdding(false)}
          onDone={({ product_id }) => navigate(`/console/packages/${product_id}`)}
        />
      )}
    </>
  )
}

const Summary = ({ offer }: { offer: PackageRow }) => (
  <div className="package-summary">
    <img src={offer.image_url} alt="" width="96" height="40" />
    <div>
      <p>
        <Link to={`/console/packages/${offer.product_id}`} className="row-link">
          {offer.name}
        </Link>{' '}
        {offer.is_preselected && <Chip>default</Chip>} {offer.ships && <Chip>ships</Chip>}
      </p>
      <p className="small">
        {showPrices(offer)} · number {offer.product_id}
      </p>
    </div>
  </div>
)

type List = { title: string; packages: PackageRow[] }

/** Those that can change places are in one list; what visitors see comes first. */
function listsOf(packages: PackageRow[]): List[] {
  const rank = ({ withdrawn_at, is_ours }: PackageRow) => (withdrawn_at ? 2 : is_ours ? 0 : 1)
  const titleOf = (offer: PackageRow) => {
    const list = groupTexts[offer.group]
    const where = offer.is_ours ? list : `Not offered on this site: ${list}`
    return offer.withdrawn_at ? `Withdrawn: ${where}` : where
  }
  const lists = new Map<string, PackageRow[]>()
  for (const offer of packages.toSorted((a, b) => rank(a) - rank(b)))
    lists.set(titleOf(offer), [...(lists.get(titleOf(offer)) ?? []), offer])
  return [...lists].map(([title, packages]) => ({ title, packages }))
}

/** After a row has moved, the focus is on its button again, or on the other one at the end of the list. */
function useKeptFocus() {
  const wanted = useRef<string[]>([])
  useEffect(() => {
    const buttons = wanted.current.map((id) => document.getElementById(id))
    wanted.current = []
    buttons.find((button) => button instanceof HTMLButtonElement && !button.disabled)?.focus()
  })
  return (...ids: string[]) => {
    wanted.current = ids
  }
}
