import { type FormEvent, useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import type { SponsorRow } from '#contract/console/sponsors.ts'
import { plainDay } from '#contract/days.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { useConsole } from '../api.ts'
import { Chip, ScreenHead, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

/** Whose links lead to the site. Search, filter and page are in the address. */
export function SponsorsScreen() {
  const { api, may } = useConsole()
  const { query } = useAddress()
  const [isAdding, setAdding] = useState(false)
  const search = query.get('search') ?? undefined
  const kind = query.get('kind') === 'own' ? 'own' : undefined
  const sort = query.get('sort') === 'newest' ? 'newest' : undefined
  const after = query.get('after') ?? undefined
  const loaded = useLoaded(query.toString(), () =>
    api.listSponsors({
      ...(search ? { search } : {}),
      ...(kind ? { kind } : {}),
      ...(after ? { after } : {}),
      sort: sort ?? 'visits',
    }),
  )
  const { data } = loaded
  const pageAt = (after?: string) => `/console/sponsors${toQuery({ search, kind, sort, after })}`
  return (
    <>
      <ScreenHead title="Sponsors" lead="People and companies whose links lead here. Every member is a sponsor, too.">
        {may('manage_sponsors') && (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a sponsor
          </button>
        )}
      </ScreenHead>
      <Filters key={query.toString()} search={search} kind={kind} sort={sort} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div aria-busy={loaded.isLoading || undefined}>
          {loaded.error && <Notice tone="alert">{loaded.error}</Notice>}
          {data.is_capped && <Notice>More sponsors match than are shown. Add letters to find the rest.</Notice>}
          {data.sponsors.length ? <SponsorTable sponsors={data.sponsors} /> : <p className="empty">No sponsor fits.</p>}
          <div className="pages">
            {after && (
              <Link to={pageAt()} className="button quiet">
                First page
              </Link>
            )}
            {data.next && (
              <Link to={pageAt(data.next)} className="button quiet">
                Next page
              </Link>
            )}
          </div>
        </div>
      )}
      {isAdding && <AddSponsor onClose={() => setAdding(false)} />}
    </>
  )
}

type FilterProps = Record<'search' | 'kind' | 'sort', string | undefined>

function Filters({ search, kind, sort }: FilterProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    navigate(`/console/sponsors${toQuery(values)}`)
  }
  return (
    <form
      className="filters"
      onSubmit={submit}
      onChange={({ target, currentTarget }) => target instanceof HTMLSelectElement && currentTarget.requestSubmit()}
    >
      <div className="field">
        <label htmlFor="sponsor-search">Link or name</label>
        <input
          className="control"
          id="sponsor-search"
          name="search"
          type="search"
          defaultValue={search ?? ''}
          autoComplete="off"
        />
      </div>
      <SelectField
        name="kind"
        label="Who"
        optional
        placeholder="All"
        defaultValue={kind ?? ''}
        options={[{ value: 'own', text: 'Not members' }]}
      />
      <SelectField
        name="sort"
        label="Order"
        optional
        placeholder="Most visits first"
        defaultValue={sort ?? ''}
        options={[{ value: 'newest', text: 'Newest first' }]}
      />
      <div className="filter-actions">
        <button type="submit" className="button quiet">
          Apply
        </button>
        {(search || kind || sort) && <Link to="/console/sponsors">Clear</Link>}
      </div>
    </form>
  )
}

export const ActiveChip = ({ sponsor }: { sponsor: SponsorRow }) =>
  sponsor.is_active ? <Chip tone="good">active</Chip> : <Chip tone="bad">inactive</Chip>

const SponsorTable = ({ sponsors }: { sponsors: SponsorRow[] }) => (
  <div className="card">
    <table className="table members">
      <thead>
        <tr>
          <th scope="col">Sponsor</th>
          <th scope="col">State</th>
          <th scope="col">Visits, 30 days</th>
          <th scope="col">Joins, 30 days</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {sponsors.map((sponsor) => (
          <tr key={sponsor.id}>
            <td>
              <Link to={`/console/sponsors/${sponsor.id}`} className="row-link">
                <bdi>{sponsor.name}</bdi>
              </Link>
              <span className="small">
                /{sponsor.site}
                {sponsor.member_id && (
                  <>
                    {' · '}
                    <Link to={`/console/members/${sponsor.member_id}`}>
                      member<span className="unseen"> {sponsor.name}</span>
                    </Link>
                  </>
                )}
              </span>
            </td>
            <td>
              <ActiveChip sponsor={sponsor} />
            </td>
            <td>
              <span className="phone-label">Visits </span>
              {sponsor.visits}
            </td>
            <td>
              <span className="phone-label">Joins </span>
              {sponsor.joins}
            </td>
            <td>{plainDay(sponsor.created_on)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function AddSponsor({ onClose }: { onClose: () => void }) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: consoleCalls.addSponsor.input.shape,
    send: async (values) => navigate(`/console/sponsors/${(await api.addSponsor(values)).id}`),
  })
  return (
    <FormDialog
      title="Add a sponsor"
      text="For someone who isn’t a member. The link works immediately."
      form={form}
      submitLabel="Add"
      onClose={onClose}
    >
      <Field {...form.field('name')} label="Name" hint="Visitors read it" autoComplete="off" />
      <Field
        {...form.field('site')}
        label="Word of the link"
        hint="Letters and digits. It can’t be anyone’s username."
        autoComplete="off"
        autoCapitalize="none"
        enterKeyHint="go"
      />
    </FormDialog>
  )
}
