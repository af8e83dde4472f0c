import { brand } from '#contract/brand.ts'
import type { Operator } from '#contract/receipts.ts'
import type { Settings } from './settings.ts'

type OperatorSettings = Pick<
  Settings,
  'OPERATOR_NAME' | 'OPERATOR_ADDRESS' | 'SUPPORT_CONTACT' | 'REFUND_TEXT' | 'MAIL' | 'MAIL_FROM' | 'NODE_ENV'
>

/** Shown outside production, so that the pages look as they will. The refunds are those of the sample agreement. */
const sample = {
  OPERATOR_NAME: `${brand.name} Membership LLC`,
  OPERATOR_ADDRESS: '500 Sample Street, Reno, NV 89501',
  REFUND_TEXT:
    'Tell us within 14 days of joining, and we return your first payment in full. A month that has begun is not refunded in part. Refunds go to the card that was charged; most banks show them within five to ten days.',
}

/** Who runs the site and how to reach them, for the foot of pages and emails. In production nothing is made up. */
export function operatorOf(settings: OperatorSettings): Operator {
  const isProduction = settings.NODE_ENV === 'production'
  const {
    OPERATOR_NAME = brand.name,
    OPERATOR_ADDRESS,
    REFUND_TEXT,
  } = isProduction ? settings : { ...sample, ...onlySet(settings) }
  const contact =
    settings.SUPPORT_CONTACT ?? (isProduction && settings.MAIL === 'outbox' ? undefined : replyAddress(settings))
  return {
    name: OPERATOR_NAME,
    ...(OPERATOR_ADDRESS ? { address: OPERATOR_ADDRESS } : {}),
    ...(contact ? { support: linkTo(contact) } : {}),
    ...(REFUND_TEXT ? { refunds: REFUND_TEXT } : {}),
  }
}

const onlySet = (settings: OperatorSettings): Partial<OperatorSettings> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))

/** Our emails invite replies, so that mailbox is read. */
const replyAddress = ({ MAIL_FROM }: OperatorSettings) => /<(.+)>$/.exec(MAIL_FROM)?.[1] ?? MAIL_FROM

/** An email address, or a page. */
export const linkTo = (contact: string) =>
  contact.startsWith('https:')
    ? { href: contact, text: contact.replace(/^https:\/\/|\/$/g, '') }
    : { href: `mailto:${contact}`, text: contact }

/**
 * What the pages cannot show in production, in one sentence. A warning and not an error: an update must not stop a site that
 * runs. Card networks expect an address, a contact and the terms of refunds on the page where a card is entered.
 */
export function missingOperatorDetails({
  production,
  operator,
}: {
  production: boolean
  operator: Operator
}): string[] {
  if (!production) return []
  const missing = [
    ...(operator.address ? [] : ['OPERATOR_ADDRESS']),
    ...(operator.support ? [] : ['SUPPORT_CONTACT']),
    ...(operator.refunds ? [] : ['REFUND_TEXT']),
  ]
  return missing.length ? [`not set, and missing at the foot of every page: ${missing.join(', ')}`] : []
}

type OfficeSettings = Pick<Settings, 'PUBLIC_URL' | 'PROVIDER_API_URL'> & { OFFICE_URL: string }

/** An operator can replace our office with their own (OFFICE_URL), or keep the members elsewhere (PROVIDER_API_URL). */
export const isOfficeOurs = ({ PUBLIC_URL, OFFICE_URL, PROVIDER_API_URL }: OfficeSettings): boolean =>
  OFFICE_URL === `${PUBLIC_URL}/office` && !PROVIDER_API_URL

/** Says where the members are kept; undefined if they are kept here. */
export const keptElsewhere = ({ PROVIDER_API_URL }: Pick<Settings, 'PROVIDER_API_URL'>): string | undefined =>
  PROVIDER_API_URL &&
  `This site runs in front of ${new URL(PROVIDER_API_URL).host}. Members and payments are kept there.`

/** Where members sign in, if the operator has set it. */
export const ownOffice = ({ OFFICE_URL, PUBLIC_URL }: { OFFICE_URL: string; PUBLIC_URL: string }): string =>
  OFFICE_URL === `${PUBLIC_URL}/office` ? '' : OFFICE_URL
