import { hash } from 'node:crypto'
import { OperatorError } from '#server/operator-error.ts'
import { INLINE, type Inventory, type Page, sha384 } from './inventory.ts'

/** What a site serves differently from its inventory, in sentences. */
export async function differences(site: string, inventory: Inventory): Promise<string[]> {
  const found: string[] = []
  for (const page of inventory.pages) {
    const { status, headers, body } = await load(`${site}${page.path}`)
    if (status !== page.status) found.push(`${page.path} cannot be opened: status ${status}.`)
    else found.push(...scriptsIn(page, body.toString(), inventory), ...headersOf(page, headers, body.toString()))
  }
  for (const { file, sha384: expected } of inventory.scripts) {
    if (file === INLINE || expected === null) continue
    const { status, body } = await load(`${site}${file}`)
    if (status !== 200) found.push(`${file} cannot be loaded: status ${status}.`)
    else if (sha384(body) !== expected) found.push(`${file} was changed: its hash is ${sha384(body)}, not ${expected}.`)
  }
  return found
}

const DEADLINE_MS = 15_000

async function load(url: string) {
  const reply = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) }).catch((error) => {
    throw new OperatorError(`${url} does not answer: ${error.cause?.message ?? error.message}`)
  })
  return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) }
}

const SCRIPT = /<script\b([^>]*)>(.*?)<\/script\s*>/gis
/** What could load or run something without being a script element. The build makes none of them. */
const RISKY = /<(iframe|frame|object|embed|applet|base)\b|<[a-z][^>]*?\s(on\w+)\s*=/gi

/** Every script of the page is in the inventory, and the page has no other way to run one. */
function scriptsIn({ path, scripts }: Page, html: string, inventory: Inventory): string[] {
  const elements = [...html.matchAll(SCRIPT)].map(([, attributes = '', content = '']) => ({
    type: attributeOf(attributes, 'type'),
    src: attributeOf(attributes, 'src'),
    next: attributeOf(attributes, 'data-next'),
    content,
  }))
  const named = elements.flatMap(({ src, next }) => [src, next]).filter((file) => file !== undefined)
  const inline = elements.filter(({ src, type }) => src === undefined && type !== 'application/json')
  const inlineHash = inventory.scripts.find(({ file }) => file === INLINE)?.sha384
  const rest = html.replaceAll(SCRIPT, '')
  return [
    ...named
      .filter((file) => !scripts.includes(file))
      .map((file) => `${path} loads ${file}, which is not in the inventory.`),
    ...scripts.filter((file) => !named.includes(file)).map((file) => `${path} does not load ${file}.`),
    ...inline
      .filter(({ content }) => sha384(content) !== inlineHash)
      .map(({ content }) => `${path} has an inline script that is not in the inventory: ${sha384(content)}.`),
    ...(/<script\b/i.test(rest) ? [`${path} has a script element that does not end.`] : []),
    ...[...rest.matchAll(RISKY)].map(([, element, attribute]) =>
      element
        ? `${path} has an element <${element}>, which the build does not make.`
        : `${path} has a handler ${attribute}, which the build does not make.`,
    ),
  ]
}

const attributeOf = (attributes: string, name: string): string | undefined => {
  const [, , double, single, plain] =
    new RegExp(`(^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? []
  return double ?? single ?? plain
}

const POLICY = 'content-security-policy'

function headersOf({ path, headers }: Page, actual: Headers, html: string): string[] {
  return Object.entries(headers).flatMap(([name, expected]) => {
    const value = actual.get(name)
    if (value === null) return [`${path} lacks the header ${name}.`]
    if (name === POLICY) return policyDifferences(path, expected, value, html)
    return value === expected ? [] : [`${path} has the header ${name}: ${value}. It should be: ${expected}.`]
  })
}

/** By directives, so that the sentence names the origin that somebody has added. */
function policyDifferences(path: string, expected: string, actual: string, html: string): string[] {
  const [wanted, served] = [expected, actual].map(parsePolicy)
  const names = new Set([...(wanted?.keys() ?? []), ...(served?.keys() ?? [])])
  const ownStyles = styleHashes(html)
  return [...names].flatMap((name) => {
    const [before, now] = [wanted?.get(name), served?.get(name)]
    if (!now) return [`The policy of ${path} lacks ${name}.`]
    const added = now.filter((source) => !before?.includes(source))
    const unexpected = name === 'style-src' ? added.filter((source) => !ownStyles.has(source)) : added // the brand's colors
    return [
      ...(before ? [] : [`The policy of ${path} has the directive ${name}, which is not in the inventory.`]),
      ...unexpected.map(
        (source) => `The policy of ${path} allows ${source} in ${name}, which is not in the inventory.`,
      ),
      ...(before ?? [])
        .filter((source) => !now.includes(source))
        .map((source) => `The policy of ${path} lacks ${source} in ${name}.`),
    ]
  })
}

const parsePolicy = (policy: string) =>
  new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/)
      return [name, sources] as const
    }),
  )

const styleHashes = (html: string) =>
  new Set(
    [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css = '']) => `'sha256-${hash('sha256', css, 'base64')}'`),
  )
