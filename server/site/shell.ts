import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageBrand } from '#contract/brand.ts'
import type { OfficeStart, PageHead, Pages } from '#contract/pages.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { builtInBrand, type SiteBrand } from '#server/brand/brand.ts'
import { logoType } from '#server/brand/logo.ts'
import { escapeHtml } from '#server/emails/layout.ts'
import type { Sources } from '#server/gateways/captcha/port.ts'
import { compress } from '#server/http/compress.ts'
import { allowOwnFrame, allowStyle, noSources, pagePolicy } from '#server/http/headers.ts'
import { OperatorError } from '#server/operator-error.ts'

/** The output of the web build: the head of every page, the bodies, the policies, and the folder with the files. */
export type Shell = {
  head: PageHead
  pages: Pages
  policy: string
  /** For the enrollment page, which has its own styles and may load the captcha vendor's scripts. */
  formPolicy: string
  /** For the console, which loads nothing from anyone else. */
  consolePolicy: string
  files: string | undefined
  /** The operator's brand and footer at this moment, which `createApp` adds. */
  look?: () => Promise<Look>
}

export type Look = { brand: SiteBrand; footer: string }

const buildFolder = new URL('../../dist/', import.meta.url)

export async function loadShell(captcha?: Sources): Promise<Shell> {
  if (!existsSync(new URL('page.json', buildFolder)))
    throw new OperatorError('The web pages are not built yet. Run: npm start')
  const head: PageHead = JSON.parse(await readFile(new URL('page.json', buildFolder), 'utf8'))
  const { pages }: { pages: Pages } = await import(new URL('render/render.js', buildFolder).href)
  return {
    head,
    pages: { ...pages, enroll: cached(pages.enroll) },
    policy: pagePolicy({ ...head, css: head.officeCss }, captcha), // the form for a new card has a captcha
    formPolicy: pagePolicy(head, captcha),
    consolePolicy: pagePolicy({ ...head, css: head.consoleCss }, { ...noSources, frame: ["'self'"] }), // previews
    files: fileURLToPath(new URL('web/', buildFolder)),
  }
}

const MAX_CACHED_PAGES = 200
const visitorFields: readonly (keyof StartData)[] = ['unknown_site', 'earlier_sponsor', 'joined_as']

/**
 * React renders each sponsor's page once, not once per visitor. Pages that depend on a cookie are not cached: a visitor
 * could make up values and push all other pages out of the cache.
 */
export function cached(render: Pages['enroll']): Pages['enroll'] {
  const cache = new Map<string, string>()
  return (start, brand) => {
    if (visitorFields.some((field) => field in start)) return render(start, brand)
    const key = JSON.stringify([start, brand])
    const html = cache.get(key) ?? render(start, brand)
    cache.delete(key)
    cache.set(key, html)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED_PAGES && oldest) cache.delete(oldest)
    return html
  }
}

type Page = {
  /** The name of the brand follows it, or is a part of it. */
  title: string | ((name: string) => string)
  /** For search results and link previews. */
  description?: (name: string) => string
  body: (brand: PageBrand) => string
  status?: number
  /** The data that the script hydrates with. */
  start?: StartData | FallbackStart | OfficeStart
  enrollment_id?: string
  script?: string
  /** A script that it imports, to load at the same time. */
  preload?: string | undefined
  /** A script to load after it. */
  next?: string | undefined
  /** What the visitor has to know first. With its style, only on pages that have one. */
  banner?: { title: string; text: string } | undefined
  /** The enrollment page without its script, for a frame of the console. */
  isPreview?: true
  /** A page of the console: it has styles and a policy of its own, and no footer. */
  isConsole?: true
}

/** Only the enrollment page has start data without a screen. */
function stylesAndPolicy({ head, policy, formPolicy, consolePolicy }: Shell, { start, isConsole, isPreview }: Page) {
  if (isPreview) return { css: head.css, policy: allowOwnFrame(formPolicy) }
  if (isConsole) return { css: head.consoleCss, policy: consolePolicy }
  return start && !('screen' in start) ? { css: head.css, policy: formPolicy } : { css: head.officeCss, policy }
}

export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  shell: Shell,
  page: Page,
): Promise<FastifyReply> {
  const { css, policy } = stylesAndPolicy(shell, page)
  const { brand, footer } = (await shell.look?.()) ?? { brand: builtInBrand, footer: '' }
  const moreCss = brand.css + (page.banner ? BANNER_CSS : '')
  const html = renderDocument(page, brand.page, { css, moreCss }, shell.head.early, page.isConsole ? '' : footer)
  const bytes = await compress(request, reply, html)
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', moreCss ? allowStyle(policy, moreCss) : policy)
    .type('text/html; charset=utf-8')
    .send(bytes)
}

/**
 * Styles are inline and the script is deferred, so that the first paint needs only this document. The script tag comes
 * first, so that its download starts early.
 */
const renderDocument = (
  { title, description, body, banner, start, enrollment_id, script, preload, next }: Page,
  brand: PageBrand,
  { css, moreCss }: { css: string; moreCss: string },
  early: string,
  footer = '',
) => `<!doctype html>
<html lang="en"${brandAttributes(brand)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${script ? `<script type="module" src="${script}"${next ? ` data-next="${next}"` : ''}></script>\n` : ''}${preload ? `<link rel="modulepreload" href="${preload}">\n` : ''}<title>${escapeHtml(titleOf(title, brand))}</title>
${description ? `<meta name="description" content="${escapeHtml(description(brand.name))}">\n` : ''}${iconOf(brand)}
${enrollment_id ? `<meta name="enrollment" content="${escapeHtml(enrollment_id)}">\n` : ''}<style>${css}</style>${moreCss ? `\n<style>${moreCss}</style>` : ''}
${start ? `<script>${early}</script>\n` : ''}</head>
<body>${banner ? renderBanner(banner) : ''}${body(brand)}${footer}
${start ? `<script type="application/json" id="start">${toInlineJson(start)}</script>\n` : ''}</body>
</html>
`

const titleOf = (title: Page['title'], { name }: PageBrand) =>
  typeof title === 'string' ? `${title} · ${name}` : title(name)

/** What differs from the built-in brand, where the page's script finds it. */
const brandAttributes = (brand: PageBrand) =>
  Object.entries(brand)
    .filter(([name, value]) => value && value !== builtInBrand.page[name as keyof PageBrand])
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('')

const iconOf = ({ mark }: PageBrand) =>
  mark === builtInBrand.page.mark
    ? '<link rel="icon" href="/favicon.svg" type="image/svg+xml">'
    : `<link rel="icon" href="${escapeHtml(mark)}" type="${logoType(mark.split('/').at(-1) ?? '')}">`

const BANNER_CSS =
  '.banner{margin:var(--space-m) var(--space-m) 0;justify-content:center;background:var(--amber-tint);color:var(--amber-deep);text-align:center}'

/** Before the part that the script takes over. */
const renderBanner = ({ title, text }: NonNullable<Page['banner']>) =>
  `<aside class="notice banner" aria-label="${escapeHtml(title)}"><p><strong>${escapeHtml(title)}</strong> ${escapeHtml(text)}</p></aside>`

/** JSON that cannot close its script element. */
const toInlineJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
