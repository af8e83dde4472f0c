import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { brand } from '#contract/brand.ts'
import type { ConsoleSession } from '#contract/console/access.ts'
import type { Permission } from '#contract/console/permissions.ts'
import { plainDay } from '#contract/days.ts'
import { Notice } from '#web/ui/Notice.tsx'
import { plainApi, useConsole } from './api.ts'
import { OPEN_ONLY_HIT } from './members/MembersScreen.tsx'
import { showTime } from './parts.tsx'
import { Link, leave, navigate, toQuery, useAddress } from './router.tsx'

type Restriction = NonNullable<ConsoleSession['restrictions']>[number]

type Entry = { to: string; text: string; permission?: Permission; pattern: RegExp }

const entries: Entry[][] = [
  [
    { to: '/console', text: 'Today', permission: 'see_members', pattern: /^\/console$/ },
    { to: '/console/members', text: 'Members', permission: 'see_members', pattern: /^\/console\/(?:members|import)/ },
    { to: '/console/problems', text: 'To do', permission: 'see_problems', pattern: /^\/console\/problems/ },
    { to: '/console/funnel', text: 'Funnel', permission: 'see_funnel', pattern: /^\/console\/funnel/ },
    { to: '/console/brand', text: 'Brand and texts', permission: 'see_brand', pattern: /^\/console\/brand/ },
    { to: '/console/abuse', text: 'Abuse', permission: 'see_abuse', pattern: /^\/console\/abuse/ },
  ],
  [
    { to: '/console/sponsors', text: 'Sponsors', permission: 'see_sponsors', pattern: /^\/console\/sponsors/ },
    { to: '/console/packages', text: 'Packages', permission: 'see_catalog', pattern: /^\/console\/packages/ },
    { to: '/console/documents', text: 'Documents', permission: 'see_catalog', pattern: /^\/console\/documents/ },
  ],
  [
    { to: '/console/staff', text: 'Staff', permission: 'see_staff', pattern: /^\/console\/staff/ },
    { to: '/console/audit', text: 'Audit log', permission: 'see_audit', pattern: /^\/console\/audit/ },
    { to: '/console/keys', text: 'API keys', permission: 'see_keys', pattern: /^\/console\/keys/ },
    { to: '/console/webhooks', text: 'Webhooks', permission: 'see_webhooks', pattern: /^\/console\/webhooks/ },
    { to: '/console/settings', text: 'Settings', permission: 'see_settings', pattern: /^\/console\/settings/ },
  ],
]

/** The frame around every screen: navigation at the side, on a phone on top, and the search always in reach. */
export function Shell({ onSignOut, children }: { onSignOut: () => void; children: ReactNode }) {
  const { session, may } = useConsole()
  const { path } = useAddress()
  const [isOpen, setOpen] = useState(false)
  const signOut = () => leave({ go: () => void plainApi.signOut({}).then(onSignOut, onSignOut) })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address closes the menu
  useEffect(() => setOpen(false), [path])
  return (
    <div className="console">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav className="side" data-open={isOpen || undefined} aria-label="Console">
        <div className="side-head">
          <Link to="/console" className="side-brand">
            <img src={brand.mark} alt="" width="30" height="30" />
            {brand.name}
          </Link>
          <button
            type="button"
            className="menu-button"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
            {Boolean(session.problems) && <span className="badge">{session.problems}</span>}
          </button>
        </div>
        <div id="navigation" className="side-body">
          {entries.map((group, index) => (
            <ul key={group[0]?.to} data-first={index === 0 || undefined}>
              {group
                .filter(({ permission }) => !permission || may(permission))
                .map(({ to, text, pattern }) => (
                  <li key={to}>
                    <Link to={to} isCurrent={pattern.test(path)}>
                      {text}
                      {to === '/console/problems' && Boolean(session.problems) && (
                        <span className="badge">{session.problems}</span>
                      )}
                    </Link>
                  </li>
                ))}
            </ul>
          ))}
          <div className="side-foot">
            <p>
              <Link to="/console/access" isCurrent={path === '/console/access'}>
                {session.staff.name}
              </Link>
              <span className="role">{session.staff.role}</span>
            </p>
            <button type="button" className="side-button" onClick={signOut}>
              Sign out
            </button>
          </div>
        </div>
      </nav>
      <div className="body">
        <header className="top">
          {may('see_members') && <Search />}
          <p className="today">
            {plainDay(session.today)} · {session.time_zone.replaceAll('_', ' ')}
          </p>
        </header>
        <Restrictions />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}

const restrictionTexts: Record<Restriction['kind'], string> = {
  joining: 'Joining is paused',
  declines: 'Visitors must confirm a phone number before they pay',
  codes: 'Phone codes are limited',
  renewals: 'Renewals are off in the settings: no membership is charged',
}

/** At the top of every screen, as a reminder of what is stopped or restricted. */
function Restrictions() {
  const { session, may } = useConsole()
  const { restrictions = [], time_zone } = session
  return (
    <div role="status">
      {restrictions.length > 0 && (
        <Notice>
          {restrictions.map(({ kind, until }) => (
            <p key={kind}>
              {restrictionTexts[kind]}
              {until && ` until ${showTime(until, time_zone)}`}.{' '}
              {kind !== 'renewals' && may('see_abuse') && <Link to="/console/abuse">Open Abuse</Link>}
            </p>
          ))}
        </Notice>
      )}
    </div>
  )
}

/** '/' focuses it from anywhere but another field. */
function Search() {
  const { path, query } = useAddress()
  const ref = useRef<HTMLInputElement>(null)
  const search = path === '/console/members' ? (query.get('search') ?? '') : ''
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog')
      if (event.key !== '/' || event.metaKey || event.ctrlKey || isTyping) return
      event.preventDefault()
      ref.current?.focus()
      ref.current?.select()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const search = ref.current?.value.trim()
    navigate(`/console/members${toQuery({ search })}`, { state: OPEN_ONLY_HIT })
  }
  return (
    <search className="search">
      <form onSubmit={submit}>
        <input
          ref={ref}
          key={search}
          className="control"
          type="search"
          name="search"
          aria-label="Search members"
          placeholder="Name, email, phone or card"
          title="Name, company, email, phone, city, ZIP code, link, payment reference, or a card’s last four digits"
          autoComplete="off"
          defaultValue={search}
        />
        <span className="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}
