import { type FormEvent, useEffect, useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import { memberStates } from '#contract/console/member-page.ts'
import {
  type Attempt,
  type MemberFilter,
  type MemberList,
  type MemberRow,
  memberSorts,
} from '#contract/console/members.ts'
import { plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { API } from '#contract/paths.ts'
import { SelectField } from '#web/form/SelectField.tsx'
import { showPhone } from '#web/form/showPhone.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { ExportLink, TextFilter } from '../lists.tsx'
import { Chip, Panel, ScreenHead, StateChip, showTime, stateText, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

const filterNames = ['search', 'state', 'sponsor', 'package', 'joined_from', 'joined_to', 'resumed_on', 'sort'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])))

/** A single hit opens only right after the search; Back and links show the list. */
export const OPEN_ONLY_HIT = 'open the only hit'

/** The list of members. Search, filters, order and page are in the address. */
export function MembersScreen() {
  const { api, may } = useConsole()
  const { query } = useAddress()
  const filter = filterIn(query)
  const after = query.get('after') ?? undefined
  const loaded = useLoaded(query.toString(), () =>
    api.listMembers({ ...(filter as MemberFilter), ...(after ? { after } : {}) }),
  )
  const { data, isLoading, error } = loaded
  const [first, ...others] = data ? [...data.members, ...data.attempts] : []
  const only = first && 'id' in first && !others.length && !data?.next ? first.id : undefined
  useEffect(() => {
    if (!only || isLoading || error) return // the last search's hits stay until there are new ones
    if (history.state === OPEN_ONLY_HIT) navigate(`/console/members/${only}`, { replace: true })
  }, [only, isLoading, error])
  const go = (change: Filter & { after?: string }) =>
    navigate(`/console/members${toQuery({ ...filter, after: undefined, ...change })}`)
  return (
    <>
      <ScreenHead
        title={filter.search ? `Members: “${filter.search}”` : 'Members'}
        lead={data?.total && totalText(data.total)}
      >
        {may('import_members') && (
          <Link to="/console/import" className="button quiet">
            Import
          </Link>
        )}
        {may('export_members') && data && data.members.length > 0 && !data.is_capped && (
          <ExportLink href={`${API}${consoleCalls.exportMembers.path}${toQuery(filter)}`} />
        )}
      </ScreenHead>
      <Filters filter={filter} onChange={go} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div aria-busy={isLoading || undefined}>
          {error && <Notice tone="alert">{error}</Notice>}
          {data.is_capped && (
            <Notice>
              Too many members match to show them all. Type more letters to find the rest, or to export them.
            </Notice>
          )}
          {data.members.length ? (
            <MemberTable members={data.members} />
          ) : (
            <p className="empty" role="status">
              {data.next ? 'No matches so far.' : 'No members match.'}
            </p>
          )}
          {data.attempts.length > 0 && <Attempts attempts={data.attempts} />}
          <div className="pages">
            {after && (
              <button type="button" className="button quiet" onClick={() => go({})}>
                First page
              </button>
            )}
            {data.next && (
              <button type="button" className="button quiet" onClick={() => go(data.next ? { after: data.next } : {})}>
                {data.members.length ? 'Next page' : 'Keep looking'}
              </button>
            )}
          </div>
        </div>
      )}
    </>
  )
}

/** '1,234 members', 'more than 10,000 members' */
const totalText = ({ count, is_more }: NonNullable<MemberList['total']>) =>
  count === 1 && !is_more ? 'One member' : `${is_more ? 'More than ' : ''}${count.toLocaleString('en-US')} members`

const attemptStates: Partial<Record<string, string>> = {
  reserved: 'started',
  authorizing: 'waiting for the bank',
  authorized: 'approved, not joined yet',
  unknown: 'no answer yet',
  review: 'held for review',
  abandoned: 'given up',
  capture_failed: 'not collected',
}

/** People who tried to join. Once a payment has ended, we no longer know who it was. */
function Attempts({ attempts }: { attempts: Attempt[] }) {
  const { session } = useConsole()
  return (
    <Panel title="Didn’t join">
      <ul className="rows">
        {attempts.map(({ reference, at, state, amount, person, card, decline }) => (
          <li key={reference}>
            <div>
              <p>
                <strong>
                  <bdi>{person?.name ?? 'Name not kept'}</bdi>
                </strong>{' '}
                {showAmount(amount)} <Chip>{attemptStates[state] ?? state}</Chip>
              </p>
              <p className="small">
                {[
                  person && `${person.email}, ${showPhone(person.mobile_phone)}`,
                  showTime(at, session.time_zone),
                  card && `${card.brand} ${card.last_four}`,
                  decline,
                  reference,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const sortTexts = { newest: 'Newest first', oldest: 'Oldest first', name: 'By last name' }

function Filters({ filter, onChange }: { filter: Filter; onChange: (change: Filter) => void }) {
  const { api } = useConsole()
  const { data } = useLoaded('filters', () => api.getFilters({}))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onChange(Object.fromEntries(new FormData(event.currentTarget)) as Filter)
  }
  const packages = (data?.packages ?? []).map(({ product_id, name }) => ({ value: String(product_id), text: name }))
  const isFiltered = filterNames.some((name) => name !== 'search' && filter[name])
  const [isOpen, setOpen] = useState(isFiltered)
  return (
    <>
      <button
        type="button"
        className="button quiet filters-toggle"
        aria-expanded={isOpen}
        aria-controls="member-filters"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide filters' : 'Filters'}
      </button>
      <form
        id="member-filters"
        className={`filters foldable ${isOpen ? 'is-open' : ''}`}
        onSubmit={submit}
        onChange={(event) => isSelect(event.target) && event.currentTarget.requestSubmit()}
        key={JSON.stringify(filter)}
      >
        <SelectField
          name="state"
          label="State"
          optional
          placeholder="Any"
          defaultValue={filter.state ?? ''}
          options={memberStates.map((state) => ({ value: state, text: stateText(state) }))}
        />
        <SelectField
          name="package"
          label="Package"
          optional
          placeholder="Any"
          defaultValue={filter.package ?? ''}
          options={packages}
        />
        <TextFilter name="sponsor" label="Sponsor’s link" value={filter.sponsor} />
        <TextFilter name="joined_from" label="Joined from" type="date" value={filter.joined_from} />
        <TextFilter name="joined_to" label="Joined until" type="date" value={filter.joined_to} />
        {filter.resumed_on && (
          <TextFilter name="resumed_on" label="Told about missed charges on" type="date" value={filter.resumed_on} />
        )}
        <SelectField
          name="sort"
          label="Order"
          defaultValue={filter.sort ?? 'newest'}
          options={memberSorts.map((sort) => ({ value: sort, text: sortTexts[sort] }))}
        />
        <div className="filter-actions">
          <button type="submit" className="button quiet">
            Apply
          </button>
          {(isFiltered || filter.search) && <Link to="/console/members">Clear</Link>}
        </div>
      </form>
    </>
  )
}

const isSelect = (target: EventTarget) => target instanceof HTMLSelectElement

/** A table on a wide screen; on a phone each row is a card. */
const MemberTable = ({ members }: { members: MemberRow[] }) => (
  <div className="card">
    <table className="table members people">
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">State</th>
          <th scope="col">Sponsor</th>
          <th scope="col">Price</th>
          <th scope="col">Next charge</th>
          <th scope="col">Joined</th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.id}>
            <td>
              <Link to={`/console/members/${member.id}`} className="row-link">
                <bdi>{member.name}</bdi>
              </Link>
              <span className="small email">
                {member.email} · /{member.username}
              </span>
            </td>
            <td>
              <StateChip state={member.state} />
            </td>
            <td>
              <Link to={`/console/members${toQuery({ sponsor: member.sponsor.site })}`}>
                <bdi>{member.sponsor.name}</bdi>
              </Link>
            </td>
            <td>{member.packages.length ? `${showAmount(member.price)} a ${member.interval}` : 'paid once'}</td>
            <td>
              <span className="phone-label">Next charge </span>
              {member.next_charge_on ? plainDay(member.next_charge_on) : 'none'}
            </td>
            <td>
              <span className="phone-label">Joined </span>
              {plainDay(member.joined_on)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
