/** For tests: the order and the limits of the vendor's AnetApiSchema.xsd, as far as the adapter's requests reach. */

type Leaf = { least?: number; most?: number; pattern?: RegExp }
type Shape = { elements: [name: string, of: Leaf | Shape, needed?: 'needed'][] }

const anything: Leaf = {}
const upTo = (most: number): Leaf => ({ most })
const numeric: Leaf = { pattern: /^[0-9]+$/ }
const decimal: Leaf = { pattern: /^[+-]?(\d+(\.\d*)?|\.\d+)$/ }
const boolean: Leaf = { pattern: /^(true|false|1|0)$/ }
const dateTime: Leaf = { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/ }
const shape = (...elements: Shape['elements']): Shape => ({ elements })

const nameAndAddress: Shape['elements'] = [
  ['firstName', upTo(50)],
  ['lastName', upTo(50)],
  ['company', upTo(50)],
  ['address', upTo(60)],
  ['city', upTo(40)],
  ['state', upTo(40)],
  ['zip', upTo(20)],
  ['country', upTo(60)],
]
const amount = shape(['amount', decimal, 'needed'], ['name', upTo(31)], ['description', upTo(255)])

const transactionRequest = shape(
  ['transactionType', anything, 'needed'],
  ['amount', decimal],
  ['currencyCode', anything],
  [
    'payment',
    shape([
      'creditCard',
      shape(
        ['cardNumber', { least: 4, most: 16 }, 'needed'],
        ['expirationDate', { least: 4, most: 7 }, 'needed'],
        ['cardCode', { least: 3, most: 4, pattern: /^[0-9]+$/ }],
        ['isPaymentToken', boolean],
        ['cryptogram', anything],
      ),
      'needed',
    ]),
  ],
  [
    'profile',
    shape(
      ['createProfile', boolean],
      ['customerProfileId', numeric],
      ['paymentProfile', anything],
      ['shippingProfileId', numeric],
    ),
  ],
  ['solution', anything],
  ['callId', anything],
  ['authCode', anything],
  ['refTransId', anything],
  ['splitTenderId', anything],
  ['order', shape(['invoiceNumber', upTo(20)], ['description', upTo(255)])],
  ['lineItems', anything],
  ['tax', amount],
  ['duty', amount],
  ['shipping', amount],
  ['taxExempt', boolean],
  ['poNumber', anything],
  ['customer', shape(['type', anything], ['id', upTo(20)], ['email', upTo(255)])],
  ['billTo', shape(...nameAndAddress, ['phoneNumber', upTo(25)], ['faxNumber', upTo(25)], ['email', anything])],
  ['shipTo', shape(...nameAndAddress)],
  ['customerIP', anything],
  ['cardholderAuthentication', anything],
  ['retail', anything],
  ['employeeId', anything],
  ['transactionSettings', shape(['setting', shape(['settingName', anything], ['settingValue', anything])])],
  ['userFields', anything],
)

const listing: Shape['elements'] = [
  [
    'sorting',
    shape(['orderBy', { pattern: /^(id|submitTimeUTC)$/ }, 'needed'], ['orderDescending', boolean, 'needed']),
  ],
  [
    'paging',
    shape(
      ['limit', { pattern: /^([1-9]\d{0,2}|1000)$/ }, 'needed'],
      ['offset', { pattern: /^[1-9]\d{0,4}$/ }, 'needed'],
    ),
  ],
]

const request = (...elements: Shape['elements']) =>
  shape(
    ['merchantAuthentication', shape(['name', upTo(25)], ['transactionKey', upTo(16), 'needed']), 'needed'],
    ['clientId', upTo(30)],
    ['refId', upTo(20)],
    ...elements,
  )

const requests: Record<string, Shape> = {
  createTransactionRequest: request(['transactionRequest', transactionRequest, 'needed']),
  getTransactionDetailsRequest: request(['transId', numeric, 'needed']),
  getUnsettledTransactionListRequest: request(['status', { pattern: /^(any|pendingApproval)$/ }], ...listing),
  getSettledBatchListRequest: request(
    ['includeStatistics', boolean],
    ['firstSettlementDate', dateTime],
    ['lastSettlementDate', dateTime],
  ),
  getTransactionListRequest: request(['batchId', numeric], ...listing),
  createCustomerProfileFromTransactionRequest: request(
    ['transId', numeric, 'needed'],
    ['customer', shape(['merchantCustomerId', upTo(20)], ['description', upTo(255)], ['email', upTo(255)])],
    ['customerProfileId', numeric],
    ['defaultPaymentProfile', boolean],
    ['defaultShippingAddress', boolean],
  ),
  getCustomerProfileRequest: request(
    ['customerProfileId', numeric],
    ['merchantCustomerId', upTo(20)],
    ['email', anything],
    ['unmaskExpirationDate', boolean],
    ['includeIssuerInfo', boolean],
  ),
}

const NAMESPACE = 'AnetApi/xml/v1/schema/AnetApiSchema.xsd'

/** What the vendor would say against this request; it quotes what it does not like. */
export function schemaError(name: string, body: unknown): string | undefined {
  const expected = requests[name]
  return expected ? check(name, body, expected) : `Invalid root element '${name}'.`
}

function check(name: string, value: unknown, expected: Leaf | Shape): string | undefined {
  if (!('elements' in expected)) return checkLeaf(name, value, expected)
  if (Array.isArray(value)) return firstError(value, (each) => check(name, each, expected))
  if (typeof value !== 'object' || value === null) return checkLeaf(name, value, { pattern: /^(?!)/ })
  const left = [...expected.elements]
  for (const [child, content] of Object.entries(value)) {
    const place = left.findIndex(([known]) => known === child)
    const skipped = left.slice(0, Math.max(place, 0)).some(([, , needed]) => needed)
    if (place < 0 || skipped)
      return `The element '${name}' in namespace '${NAMESPACE}' has invalid child element '${child}' in namespace '${NAMESPACE}'. List of possible elements expected: '${left.map(([known]) => known).join(', ')}' in namespace '${NAMESPACE}'.`
    const wrong = check(child, content, left[place]?.[1] ?? anything)
    if (wrong) return wrong
    left.splice(0, place + 1)
  }
  if (left.some(([, , needed]) => needed))
    return `The element '${name}' in namespace '${NAMESPACE}' has incomplete content. List of possible elements expected: '${left.map(([known]) => known).join(', ')}' in namespace '${NAMESPACE}'.`
}

function checkLeaf(name: string, value: unknown, { least = 0, most = Number.POSITIVE_INFINITY, pattern }: Leaf) {
  const text = String(value)
  const why =
    text.length > most
      ? 'The actual length is greater than the MaxLength value.'
      : text.length < least
        ? 'The actual length is less than the MinLength value.'
        : pattern && !pattern.test(text)
          ? 'The Pattern constraint failed.'
          : undefined
  return (
    why &&
    `The '${NAMESPACE}:${name}' element is invalid - The value '${text}' is invalid according to its datatype - ${why}`
  )
}

function firstError(values: unknown[], find: (value: unknown) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value)
    if (found) return found
  }
}
