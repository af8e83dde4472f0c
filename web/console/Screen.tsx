import type { ReactNode } from 'react'
import { isAboutMembers, type Permission } from '#contract/console/permissions.ts'
import { AbuseScreen } from './abuse/AbuseScreen.tsx'
import { AccessScreen } from './access/AccessScreen.tsx'
import { StaffScreen } from './access/StaffScreen.tsx'
import { useConsole } from './api.ts'
import { AuditScreen } from './audit/AuditScreen.tsx'
import { SettingsScreen } from './audit/SettingsScreen.tsx'
import { BrandScreen } from './brand/BrandScreen.tsx'
import { KeysScreen } from './connect/KeysScreen.tsx'
import { WebhookScreen } from './connect/WebhookScreen.tsx'
import { WebhooksScreen } from './connect/WebhooksScreen.tsx'
import { DocumentScreen } from './documents/DocumentScreen.tsx'
import { DocumentsScreen } from './documents/DocumentsScreen.tsx'
import { NewDocument } from './documents/NewDocument.tsx'
import { FunnelScreen } from './funnel/FunnelScreen.tsx'
import { ImportScreen } from './import/ImportScreen.tsx'
import { MemberScreen } from './members/MemberScreen.tsx'
import { MembersScreen } from './members/MembersScreen.tsx'
import { ProblemsScreen } from './overview/ProblemsScreen.tsx'
import { TodayScreen } from './overview/TodayScreen.tsx'
import { PackageScreen } from './packages/PackageScreen.tsx'
import { PackagesScreen } from './packages/PackagesScreen.tsx'
import { Title } from './parts.tsx'
import { Link, useAddress } from './router.tsx'
import { SponsorScreen } from './sponsors/SponsorScreen.tsx'
import { SponsorsScreen } from './sponsors/SponsorsScreen.tsx'
import { useHeadingFocus } from './useHeadingFocus.ts'

type Route = {
  pattern: RegExp
  title: string
  permission?: Permission
  screen: (match: RegExpExecArray) => ReactNode
}

/** The screens of the console. Those in the navigation are in Shell.tsx. */
const routes: Route[] = [
  { pattern: /^\/console$/, title: 'Today', permission: 'see_members', screen: () => <TodayScreen /> },
  { pattern: /^\/console\/members$/, title: 'Members', permission: 'see_members', screen: () => <MembersScreen /> },
  {
    pattern: /^\/console\/problems$/,
    title: 'To do',
    permission: 'see_problems',
    screen: () => <ProblemsScreen />,
  },
  {
    pattern: /^\/console\/members\/([\da-f-]{36})$/,
    title: 'Member',
    permission: 'see_members',
    screen: ([, id = '']) => <MemberScreen key={id} id={id} />,
  },
  {
    pattern: /^\/console\/import$/,
    title: 'Import members',
    permission: 'import_members',
    screen: () => <ImportScreen />,
  },
  { pattern: /^\/console\/abuse$/, title: 'Abuse', permission: 'see_abuse', screen: () => <AbuseScreen /> },
  { pattern: /^\/console\/sponsors$/, title: 'Sponsors', permission: 'see_sponsors', screen: () => <SponsorsScreen /> },
  {
    pattern: /^\/console\/sponsors\/([\da-f-]{36})$/,
    title: 'Sponsor',
    permission: 'see_sponsors',
    screen: ([, id = '']) => <SponsorScreen key={id} id={id} />,
  },
  { pattern: /^\/console\/packages$/, title: 'Packages', permission: 'see_catalog', screen: () => <PackagesScreen /> },
  {
    pattern: /^\/console\/packages\/(\d{1,9})$/,
    title: 'Package',
    permission: 'see_catalog',
    screen: ([, id = '']) => <PackageScreen key={id} id={id} />,
  },
  {
    pattern: /^\/console\/documents$/,
    title: 'Documents',
    permission: 'see_catalog',
    screen: () => <DocumentsScreen />,
  },
  {
    pattern: /^\/console\/documents\/new$/,
    title: 'Add a document',
    permission: 'publish_documents',
    screen: () => <NewDocument />,
  },
  {
    pattern: /^\/console\/documents\/(\d{1,9})$/,
    title: 'Document',
    permission: 'see_catalog',
    screen: ([, id = '']) => <DocumentScreen key={id} id={id} />,
  },
  { pattern: /^\/console\/brand$/, title: 'Brand and texts', permission: 'see_brand', screen: () => <BrandScreen /> },
  { pattern: /^\/console\/funnel$/, title: 'Funnel', permission: 'see_funnel', screen: () => <FunnelScreen /> },
  { pattern: /^\/console\/staff$/, title: 'Staff', permission: 'see_staff', screen: () => <StaffScreen /> },
  { pattern: /^\/console\/keys$/, title: 'API keys', permission: 'see_keys', screen: () => <KeysScreen /> },
  { pattern: /^\/console\/audit$/, title: 'Audit log', permission: 'see_audit', screen: () => <AuditScreen /> },
  { pattern: /^\/console\/webhooks$/, title: 'Webhooks', permission: 'see_webhooks', screen: () => <WebhooksScreen /> },
  {
    pattern: /^\/console\/webhooks\/([\da-f-]{36})$/,
    title: 'Webhook',
    permission: 'see_webhooks',
    screen: ([, id = '']) => <WebhookScreen key={id} id={id} />,
  },
  { pattern: /^\/console\/settings$/, title: 'Settings', permission: 'see_settings', screen: () => <SettingsScreen /> },
  { pattern: /^\/console\/access$/, title: 'Your access', screen: () => <AccessScreen /> },
]

export function Screen() {
  const { path, query } = useAddress()
  useHeadingFocus(path, query.toString())
  const { may, session } = useConsole()
  for (const { pattern, permission, title, screen } of routes) {
    const match = pattern.exec(path)
    if (!match) continue
    if (permission && !may(permission))
      return <Message title={title}>Your role doesn’t include this. An owner can change that.</Message>
    if (session.elsewhere && permission && isAboutMembers(permission))
      return (
        <Message
          title={title}
          link={
            <Link to="/console/funnel" className="button quiet">
              To the funnel
            </Link>
          }
        >
          {session.elsewhere}
        </Message>
      )
    return (
      <>
        <Title key={path}>{title}</Title>
        {screen(match)}
      </>
    )
  }
  return <Message title="Nothing here">There is no such page in the console.</Message>
}

const toMembers = (
  <Link to="/console/members" className="button quiet">
    To the members
  </Link>
)

type MessageProps = { title: string; children: string; link?: ReactNode }

const Message = ({ title, children, link = toMembers }: MessageProps) => (
  <div className="empty">
    <Title>{title}</Title>
    <h1>{title}</h1>
    <p>{children}</p>
    {link}
  </div>
)
