import type { Answer } from './host.ts'
import {
  type Fields,
  fails,
  holds,
  isFields,
  isOk,
  type PackageRow,
  type Row,
  type Run,
  shapeOf,
  unexpected,
  warning,
} from './row.ts'

const CATEGORY = '17'
const LANGUAGE = '1'
const STARTER = 34
const CHECKOUT = 'enrollment_page_checkout'

/** Packages, documents and orders. Writes nothing. */
export const catalogRows: Row[] = [
  {
    id: 'packages.list',
    group: 'read',
    sentence: 'GET enrollment/enrollment_packages with product_category_id and language_id: list of packages',
    check: async ({ host, found }) => {
      const answer = await host.get('enrollment/enrollment_packages', categoryQuery())
      const list = answer.json
      if (!isOk(answer) || !Array.isArray(list)) return unexpected(answer, 'a list')
      if (!list.length) return fails('The list is empty.')
      found.packages = list
      return holds(`${list.length} packages`)
    },
  },
  {
    id: 'packages.fields',
    group: 'read',
    sentence: 'Package: product_id, image_url, is_recurring, is_special',
    needs: ['packages.list'],
    check: async ({ found }) => {
      const list: unknown[] = found.packages ?? []
      const wrong = list.flatMap((each, index) => wrongFields(each, packageFields).map((name) => `[${index}].${name}`))
      return wrong.length ? fails(`Missing or of the wrong type: ${wrong.slice(0, 6).join(', ')}`) : holds('All there')
    },
  },
  {
    id: 'packages.unique',
    group: 'read',
    sentence: 'Selecting a product replaces any earlier selection: a product_id names one package',
    needs: ['packages.fields'],
    check: async ({ found }) => {
      const ids = (found.packages ?? []).map(({ product_id }) => product_id)
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
      return twice.length ? fails(`Several packages have the id ${twice[0]}.`) : holds('Each id once')
    },
  },
  {
    id: 'packages.starter',
    group: 'read',
    sentence: 'The starter package with product_id 34 is preselected on load if it exists',
    needs: ['packages.fields'],
    check: async ({ found }) => {
      const starters = starterPackages(found.packages)
      if (!starters.length) return fails('No package is a starter: neither recurring nor special.')
      const isThere = starters.some(({ product_id }) => product_id === STARTER)
      return isThere ? holds('34 is a starter') : warning('34 is no starter, so nothing is preselected.')
    },
  },
  {
    id: 'packages.pictures',
    group: 'read',
    sentence: 'PAYMENT: package image',
    needs: ['packages.fields'],
    check: async ({ host, found }) => {
      for (const { image_url, product_id } of found.packages ?? []) {
        const { status, type } = await host.fetch(image_url)
        if (status !== 200 || !type.startsWith('image/'))
          return fails(`The picture of ${product_id}: status ${status}, ${type || 'no content type'}`)
      }
      return holds('All load')
    },
  },
  {
    id: 'packages.query',
    group: 'read',
    sentence: 'Package category id 17; language id 1',
    needs: ['packages.list'],
    check: async ({ host, found }) => {
      const other = { product_category_id: '999999', language_id: LANGUAGE }
      const { json, status } = await host.get('enrollment/enrollment_packages', other)
      if (status >= 500) return fails(`Status ${status} for a category that doesn't exist`)
      const isSame = JSON.stringify(json) === JSON.stringify(found.packages)
      return isSame ? warning('A category that doesn’t exist has the same packages.') : holds('Other categories differ')
    },
  },
  {
    id: 'documents.list',
    group: 'read',
    sentence: 'GET enrollment/get-all-legal-documents: list of legal documents',
    check: async ({ host }) => {
      const answer = await host.get('enrollment/get-all-legal-documents')
      return isOk(answer) && Array.isArray(answer.json) ? holds(shapeOf(answer.json)) : unexpected(answer, 'a list')
    },
  },
  {
    id: 'documents.fields',
    group: 'read',
    sentence: 'Legal document: id, title, content (HTML), status, display_on_checkout (list)',
    needs: ['documents.list'],
    check: async ({ host }) => {
      const list = await documentsOf(host)
      const wrong = list.flatMap((each, index) => wrongFields(each, documentFields).map((name) => `[${index}].${name}`))
      return wrong.length ? fails(`Missing or of the wrong type: ${wrong.slice(0, 6).join(', ')}`) : holds('All there')
    },
  },
  {
    id: 'documents.checkout',
    group: 'read',
    sentence: 'Documents shown at checkout contain enrollment_page_checkout',
    needs: ['documents.fields'],
    check: async ({ host }) => {
      const shown = (await documentsOf(host)).filter((each) =>
        (each.display_on_checkout as string[]).includes(CHECKOUT),
      )
      return shown.length ? holds(`${shown.length} shown`) : warning('No document is shown at checkout.')
    },
  },
  {
    id: 'documents.content',
    group: 'read',
    sentence: 'Links open a modal for each document: its content is HTML to read',
    needs: ['documents.fields'],
    check: async ({ host }) => {
      const active = (await documentsOf(host)).find(({ content }) =>
        /<(script|iframe|object)\b|\son\w+=/i.test(String(content)),
      )
      return active ? warning(`Document ${active.id} has scripts, which pages remove.`) : holds('No scripts')
    },
  },
  {
    id: 'orders.total',
    group: 'read',
    sentence: 'POST enrollment/orders with product_ids: grand_total',
    needs: ['packages.starter'],
    check: async (run) => {
      const answer = await orderOf(run, starterOrder(run))
      const total = totalOf(answer)
      if (total === undefined) return unexpected(answer, 'grand_total, an amount')
      run.found.total = total
      return holds(`An amount: ${total.toFixed(2)}`)
    },
  },
  {
    id: 'orders.sum',
    group: 'read',
    sentence: 'product_ids, autoship_product_ids, special_product_ids: comma strings, and one total for all',
    needs: ['orders.total'],
    check: async (run) => {
      const product_ids = starterIds(run)[0] ?? ''
      const monthly = run.found.packages?.find(({ is_recurring }) => is_recurring)
      if (!monthly) return warning('No package is recurring: nothing to add.')
      const autoship_product_ids = String(monthly.product_id)
      const alone = totalOf(await orderOf(run, { autoship_product_ids }))
      const both = totalOf(await orderOf(run, { product_ids, autoship_product_ids }))
      if (both === undefined) return warning('A recurring package next to a starter isn’t accepted.')
      const expected = (run.found.total ?? 0) + (alone ?? 0)
      return alone === undefined || both === expected
        ? holds(both.toFixed(2))
        : fails(`${both}, but the sum is ${expected}`)
    },
  },
  {
    id: 'orders.unknown',
    group: 'read',
    sentence: 'Order summary load failure: Error dialog with the error',
    check: async (run) => {
      const answer = await orderOf(run, { product_ids: '999999999' })
      if (answer.status >= 500) return fails(`Status ${answer.status} for a package that doesn't exist`)
      const total = totalOf(answer)
      return isOk(answer) && total
        ? fails(`A package that doesn't exist costs ${total}.`)
        : holds(`Status ${answer.status}`)
    },
  },
  {
    id: 'orders.malformed',
    group: 'read',
    sentence: 'Error dialog with the error: a request that can’t be read gets an error, and breaks nothing',
    needs: ['orders.total'],
    check: async ({ host }) => {
      const answers = [
        await host.postText('enrollment/orders', '{"product_ids":'),
        await host.postText('enrollment/orders', '{"product_ids":{"a":[null]}}'),
      ]
      const worst = Math.max(...answers.map(({ status }) => status))
      if (worst >= 500) return fails(`Status ${worst}`)
      return answers.every(isOk) ? warning('Both requests succeed.') : holds(`Status ${worst}`)
    },
  },
  {
    id: 'encodings',
    group: 'read',
    sentence: 'Bodies are read as JSON and as a form',
    needs: ['orders.total'],
    check: async (run) => {
      const other = run.host.encoding === 'json' ? 'form' : 'json'
      const total = totalOf(await orderOf(run, starterOrder(run), other))
      return total === run.found.total
        ? holds('Both')
        : warning(`Only ${run.host.encoding}; ${other} isn’t understood.`)
    },
  },
]

const categoryQuery = () => ({ product_category_id: CATEGORY, language_id: LANGUAGE })

type Kinds = Record<string, (value: unknown) => boolean>
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const packageFields: Kinds = {
  product_id: Number.isInteger,
  image_url: isText,
  is_recurring: (value) => typeof value === 'boolean',
  is_special: (value) => typeof value === 'boolean',
}
const documentFields: Kinds = {
  id: Number.isInteger,
  title: isText,
  content: isText,
  status: isText,
  display_on_checkout: Array.isArray,
}

const wrongFields = (row: unknown, kinds: Kinds): string[] =>
  Object.entries(kinds).flatMap(([name, isKind]) => (isFields(row) && isKind(row[name]) ? [] : [name]))

const documentsOf = async (host: Run['host']): Promise<Fields[]> =>
  (await host.get('enrollment/get-all-legal-documents')).json as Fields[]

const starterPackages = (list: PackageRow[] = []) => list.filter((each) => !each.is_recurring && !each.is_special)
export const starterIds = ({ found }: Run) =>
  starterPackages(found.packages).map(({ product_id }) => String(product_id))

const starterOrder = (run: Run) => ({ product_ids: starterIds(run)[0] ?? '' })
const noPackages = { product_ids: '', autoship_product_ids: '', special_product_ids: '' }
const orderOf = ({ host }: Run, order: Partial<typeof noPackages>, encoding = host.encoding) =>
  host.post('enrollment/orders', { ...noPackages, ...order }, encoding)

/** An amount like 99, '99' or '99.00'. */
function totalOf({ json, status }: Answer): number | undefined {
  const total = isFields(json) && status < 300 ? json.grand_total : undefined
  const isAmount = /^\d+(\.\d{1,2})?$/.test(String(total))
  return isAmount ? Number(total) : undefined
}
