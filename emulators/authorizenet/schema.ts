/** For tests: order and limits of the vendor's AnetApiSchema.xsd, for the requests that the adapter sends. */

type Leaf = { minLength?: number; maxLength?: number; pattern?: RegExp }
type Shape = { elements: [name: string, of: Leaf | Shape, required?: 'required'][] }

const anything: Leaf = {}
const upTo = (maxLength: number): Leaf => ({ maxLength })
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
const amount = shape(['amount', decimal, 'required'], ['name', upTo(31)], ['description', upTo(255)])

const payment = shape([
  'creditCard',
  shape(
    ['cardNumber', { minLength: 4, maxLength: 16 }, 'required'],
    ['expirationDate', { minLength: 4, maxLength: 7 }, 'required'],
    ['cardCode', { minLength: 3, maxLength: 4, pattern: /^[0-9]+$/ }],
    ['isPaymentToken', boolean],
    ['cryptogram', anything],
  ),
  'required',
])
const billTo = shape(...nameAndAddress, ['phoneNumber', upTo(25)], ['faxNumber', upTo(25)], ['email', anything])
const subsequentAuthInformation = shape(
  ['originalNetworkTransId', upTo(255)],
  ['originalAuthAmount', decimal],
  ['reason', { pattern: /^(resubmission|delayedCharge|reauthorization|noShow)$/ }],
)

const transactionRequest = shape(
  ['transactionType', anything, 'required'],
  ['amount', decimal],
  ['currencyCode', anything],
  ['payment', payment],
  [
    'profile',
    shape(
      ['createProfile', boolean],
      ['customerProfileId', numeric],
      ['paymentProfile', shape(['paymentProfileId', numeric, 'required'], ['cardCode', anything])],
      ['shippingProfileId', numeric],
    ),
  ],
  ['solution', anything],
  ['callId', anything],
  ['terminalNumber', anything],
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
  ['billTo', billTo],
  ['shipTo', shape(...nameAndAddress)],
  ['customerIP', anything],
  ['cardholderAuthentication', anything],
  ['retail', anything],
  ['employeeId', anything],
  ['transactionSettings', shape(['setting', shape(['settingName', anything], ['settingValue', anything])])],
  ['userFields', anything],
  ['surcharge', anything],
  ['merchantDescriptor', anything],
  ['subMerchant', anything],
  ['tip', anything],
  [
    'processingOptions',
    shape(
      ['isFirstRecurringPayment', boolean],
      ['isFirstSubsequentAuth', boolean],
      ['isSubsequentAuth', boolean],
      ['isStoredCredentials', boolean],
    ),
  ],
  ['subsequentAuthInformation', subsequentAuthInformation],
  ['otherTax', anything],
  ['shipFrom', anything],
  ['authorizationIndicatorType', anything],
)

const paymentProfile: Shape['elements'] = [
  ['customerType', { pattern: /^(individual|business)$/ }],
  ['billTo', billTo],
  ['payment', payment],
  ['driversLicense', anything],
  ['taxId', anything],
  ['defaultPaymentProfile', boolean],
  ['subsequentAuthInformation', subsequentAuthInformation],
  ['excludeFromAccountUpdater', boolean],
]
const validationMode: Leaf = { pattern: /^(none|testMode|liveMode|oldLiveMode)$/ }

const listing: Shape['elements'] = [
  [
    'sorting',
    shape(['orderBy', { pattern: /^(id|submitTimeUTC)$/ }, 'required'], ['orderDescending', boolean, 'required']),
  ],
  [
    'paging',
    shape(
      ['limit', { pattern: /^([1-9]\d{0,2}|1000)$/ }, 'required'],
      ['offset', { pattern: /^[1-9]\d{0,4}$/ }, 'required'],
    ),
  ],
]

const request = (...elements: Shape['elements']) =>
  shape(
    ['merchantAuthentication', shape(['name', upTo(25)], ['transactionKey', upTo(16), 'required']), 'required'],
    ['clientId', upTo(30)],
    ['refId', upTo(20)],
    ...elements,
  )

const requests: Record<string, Shape> = {
  authenticateTestRequest: request(),
  createTransactionRequest: request(['transactionRequest', transactionRequest, 'required']),
  getTransactionDetailsRequest: request(['transId', numeric, 'required']),
  getUnsettledTransactionListRequest: request(['status', { pattern: /^(any|pendingApproval)$/ }], ...listing),
  getSettledBatchListRequest: request(
    ['includeStatistics', boolean],
    ['firstSettlementDate', dateTime],
    ['lastSettlementDate', dateTime],
  ),
  getTransactionListRequest: request(['batchId', numeric], ...listing),
  createCustomerProfileFromTransactionRequest: request(
    ['transId', numeric, 'required'],
    ['customer', shape(['merchantCustomerId', upTo(20)], ['description', upTo(255)], ['email', upTo(255)])],
    ['customerProfileId', numeric],
    ['defaultPaymentProfile', boolean],
    ['defaultShippingAddress', boolean],
  ),
  createCustomerProfileRequest: request(
    [
      'profile',
      shape(
        ['merchantCustomerId', upTo(20)],
        ['description', upTo(255)],
        ['email', upTo(255)],
        ['paymentProfiles', shape(...paymentProfile)],
        ['shipToList', anything],
        ['profileType', anything],
      ),
      'required',
    ],
    ['validationMode', validationMode],
  ),
  createCustomerPaymentProfileRequest: request(
    ['customerProfileId', numeric, 'required'],
    ['paymentProfile', shape(...paymentProfile), 'required'],
    ['validationMode', validationMode],
  ),
  updateCustomerPaymentProfileRequest: request(
    ['customerProfileId', numeric, 'required'],
    ['paymentProfile', shape(...paymentProfile, ['customerPaymentProfileId', numeric, 'required']), 'required'],
    ['validationMode', validationMode],
  ),
  getCustomerPaymentProfileRequest: request(
    ['customerProfileId', numeric, 'required'],
    ['customerPaymentProfileId', numeric],
    ['unmaskExpirationDate', boolean],
    ['includeIssuerInfo', boolean],
  ),
  deleteCustomerPaymentProfileRequest: request(
    ['customerProfileId', numeric, 'required'],
    ['customerPaymentProfileId', numeric, 'required'],
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

/** The error that the vendor would report for this request. Like the vendor's, it quotes the invalid value. */
export function schemaError(name: string, body: unknown): string | undefined {
  const expected = requests[name]
  return expected ? check(name, body, expected) : `Invalid root element '${name}'.`
}

function check(name: string, value: unknown, expected: Leaf | Shape): string | undefined {
  if (!('elements' in expected)) return checkLeaf(name, value, expected)
  if (Array.isArray(value)) return firstError(value, (element) => check(name, element, expected))
  if (typeof value !== 'object' || value === null) return checkLeaf(name, value, { pattern: /^(?!)/ })
  const remaining = [...expected.elements]
  for (const [child, content] of Object.entries(value)) {
    const index = remaining.findIndex(([element]) => element === child)
    const skipped = remaining.slice(0, Math.max(index, 0)).some(([, , required]) => required)
    if (index < 0 || skipped)
      return `The element '${name}' in namespace '${NAMESPACE}' has invalid child element '${child}' in namespace '${NAMESPACE}'. List of possible elements expected: '${remaining.map(([element]) => element).join(', ')}' in namespace '${NAMESPACE}'.`
    const error = check(child, content, remaining[index]?.[1] ?? anything)
    if (error) return error
    remaining.splice(0, index + 1)
  }
  if (remaining.some(([, , required]) => required))
    return `The element '${name}' in namespace '${NAMESPACE}' has incomplete content. List of possible elements expected: '${remaining.map(([element]) => element).join(', ')}' in namespace '${NAMESPACE}'.`
}

function checkLeaf(
  name: string,
  value: unknown,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern }: Leaf,
) {
  const text = String(value)
  const why =
    text.length > maxLength
      ? 'The actual length is greater than the MaxLength value.'
      : text.length < minLength
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
    const error = find(value)
    if (error) return error
  }
}
