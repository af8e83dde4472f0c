import type { ReactNode } from 'react'
import {
  type FunnelFilter,
  type FunnelView,
  funnelDays,
  funnelDevices,
  funnelSources,
} from '#contract/console/funnel.ts'
import { plainDay } from '#contract/days.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { useConsole } from '../api.ts'
import { Panel, ScreenHead, Waiting } from '../parts.tsx'
import { Link, navigate, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

const stepTexts: Record<FunnelView['steps'][number]['step'], string> = {
  opened: 'Opened the page',
  code: 'Asked for a phone code',
  details: 'Entered email and username',
  pay: 'Pressed Confirm and Pay',
  joined: 'Joined',
}

const sourceTexts: Record<string, string> = {
  none: 'no source in the link',
  search: 'search engines',
  social: 'social networks',
  email: 'emails',
  print: 'print and QR codes',
  other: 'others',
}

const deviceOptions = [['', 'all devices'], ...funnelDevices.map((name) => [name, name])]
const sourceOptions = [['', 'all sources'], ...funnelSources.map((name) => [name, sourceTexts[name] ?? name])]
const dayOptions = funnelDays.map((days) => [days, `${days} days`])

/** How far visitors get. The filter is in the address. */
export function FunnelScreen() {
  const { api } = useConsole()
  const { query } = useAddress()
  const values = Object.fromEntries(
    (['days', 'site', 'device', 'source'] as const).map((name) => [name, query.get(name) ?? '']),
  )
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as FunnelFilter
  const loaded = useLoaded(JSON.stringify(set), () => api.getFunnel(set))
  const { data } = loaded
  const change = (name: string, value: string) => navigate(`/console/funnel${toQuery({ ...values, [name]: value })}`)
  return (
    <>
      <ScreenHead title="Funnel" lead="How far visitors get, each counted once a day. Only numbers are kept." />
      <div className="filters">
        <Select name="days" label="Time" value={values.days || '7'} options={dayOptions} onChange={change} />
        <Select name="device" label="Device" value={values.device} options={deviceOptions} onChange={change} />
        <Select name="source" label="Source" value={values.source} options={sourceOptions} onChange={change} />
        {values.site && (
          <p className="filter-actions sponsor-filter">
            Sponsor <strong>{values.site}</strong>
            <Link to={`/console/funnel${toQuery({ ...values, site: '' })}`}>All sponsors</Link>
          </p>
        )}
      </div>
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <>
          <Panel title="Steps">
            <Bars steps={data.steps} />
          </Panel>
          <Messages messages={data.messages} />
          <div className="grid">
            <Rows title="By day" rows={data.days} show={plainDay} />
            <Rows
              title="By sponsor"
              rows={data.sites}
              show={(site) => <Link to={`/console/funnel${toQuery({ ...values, site })}`}>{site}</Link>}
            />
            <Rows title="By device" rows={data.devices} />
            <Rows title="By source" rows={data.sources} show={(name) => sourceTexts[name] ?? name} />
            <Fields fields={data.fields} />
          </div>
        </>
      )}
    </>
  )
}

type SelectProps = {
  name: string
  label: string
  value: string | undefined
  options: string[][]
  onChange: (name: string, value: string) => void
}

const Select = ({ name, label, value, options, onChange }: SelectProps) => (
  <div className="field">
    <label htmlFor={name}>{label}</label>
    <div className="select">
      <select
        className="control"
        id={name}
        name={name}
        value={value}
        onChange={(event) => onChange(name, event.target.value)}
      >
        {options.map(([option = '', text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <ChevronIcon />
    </div>
  </div>
)

/** A list whose bars are drawn by its meters: the numbers are text, so it needs no other form. */
function Bars({ steps }: Pick<FunnelView, 'steps'>) {
  const shown = steps.filter(({ step, count }) => step !== 'code' || count > 0)
  const first = shown[0]?.count ?? 0
  return (
    <ol className="funnel">
      {shown.map(({ step, count }, index) => {
        const before = shown[index - 1]?.count ?? 0
        return (
          <li key={step}>
            <p>
              <span>{stepTexts[step]}</span> <strong>{count}</strong>
            </p>
            <meter min={0} max={Math.max(first, 1)} value={Math.min(count, first)} aria-label={stepTexts[step]} />
            {index > 0 && before > count && (
              <p className="small">
                {before - count} dropped off ({Math.round((100 * (before - count)) / before)}%)
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}

type RowsProps = {
  title: string
  rows: FunnelView['days']
  show?: (name: string) => ReactNode
}

const Rows = ({ title, rows, show = (name) => name }: RowsProps) => (
  <Panel title={title}>
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">{title.replace(/^By ./, (start) => start.slice(-1).toUpperCase())}</th>
          <th scope="col">Opened</th>
          <th scope="col">Joined</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, opened, joined }) => (
          <tr key={name}>
            <th scope="row">{show(name)}</th>
            <td>{opened}</td>
            <td>{joined}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length === 0 && <p className="small">Nothing yet.</p>}
  </Panel>
)

const fieldText = (field: string) => field.replaceAll('_', ' ')

const Messages = ({ messages }: Pick<FunnelView, 'messages'>) => (
  <Panel title="Messages at fields">
    <p className="small">
      What the form told visitors most, regardless of the filters above. Each visitor is counted once per field and day.
    </p>
    <ul className="rows">
      {messages.map(({ field, message, count }) => (
        <li key={`${field} ${message}`}>
          <span>
            {fieldText(field)} <span className="small">{message || 'another message'}</span>
          </span>{' '}
          <strong>{count}</strong>
        </li>
      ))}
    </ul>
    {messages.length === 0 && <p className="small">None.</p>}
  </Panel>
)

const Fields = ({ fields }: Pick<FunnelView, 'fields'>) => (
  <Panel title="Refused fields">
    <p className="small">Answers the server refused when a visitor paid. The form catches most mistakes before that.</p>
    <ul className="rows">
      {fields.map(({ field, count }) => (
        <li key={field}>
          <span>{fieldText(field)}</span> <strong>{count}</strong>
        </li>
      ))}
    </ul>
    {fields.length === 0 && <p className="small">None.</p>}
  </Panel>
)

/** For the screen of the day. */
export function WeekFunnel() {
  const { api } = useConsole()
  const { data } = useLoaded('week', () => api.getFunnel({}))
  return (
    <Panel title="Funnel of the week" aside={<Link to="/console/funnel">More</Link>}>
      {data ? <Bars steps={data.steps} /> : <p className="small">Loading…</p>}
    </Panel>
  )
}
