import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OfficeStart, PageHead, Pages } from '#contract/pages.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import type { Sources } from '#server/gateways/captcha/port.ts'
import { escapeHtml } from '#server/markup.ts'
import { OperatorError } from '#server/operator-error.ts'
import { pagePolicy } from './headers.ts'

/** What the web build hands over: the head of every page, the bodies, what they may load, and the folder of files. */
export type Shell = {
  head: PageHead
  pages: Pages
  policy: string
  /** The page with the form has styles of its own, and may also load what its captcha needs; no other page may. */
  formPolicy: string
  files: string | undefined
}

const built = new URL('../../dist/', import.meta.url)

/** The build, read once. */
export async function loadShell(captcha?: Sources): Promise<Shell> {
  if (!existsSync(new URL('page.json', built)))
    throw new OperatorError('The web part is not built yet: npm start builds it.')
  const head: PageHead = JSON.parse(await readFile(new URL('page.json', built), 'utf8'))
  const { pages }: { pages: Pages } = await import(new URL('render/render.js', built).href)
  return {
    head,
    pages: { ...pages, enroll: remembered(pages.enroll) },
    policy: pagePolicy({ ...head, css: head.officeCss }),
    formPolicy: pagePolicy(head, captcha),
    files: fileURLToPath(new URL('web/', built)),
  }
}

const MOST_REMEMBERED = 200

/**
 * The same start data makes the same HTML, so React renders each sponsor's page once and not once per visitor. What a cookie
 * adds is not kept: a visitor who makes up words would push out everybody's pages.
 */
export function remembered(render: Pages['enroll']): Pages['enroll'] {
  const known = new Map<string, string>()
  return (start) => {
    if ('unknown_site' in start || 'other_sponsor' in start) return render(start)
    const key = JSON.stringify(start)
    const html = known.get(key) ?? render(start)
    known.delete(key)
    known.set(key, html)
    const [oldest] = known.keys()
    if (known.size > MOST_REMEMBERED && oldest) known.delete(oldest)
    return html
  }
}

type Page = {
  title: string
  /** For who finds the page in a search, or is sent its link. */
  description?: string
  body: string
  status?: number
  /** What the page's script begins with. */
  start?: StartData | FallbackStart | OfficeStart
  enrollment_id?: string
  script?: string
  /** The script that follows it. */
  next?: string | undefined
}

/** What stands in the head and what may be loaded: the form carries no styles but its own, and nobody else asks a captcha. */
const dressOf = ({ head, policy, formPolicy }: Shell, { start }: Page) =>
  start && !('screen' in start) ? { css: head.css, policy: formPolicy } : { css: head.officeCss, policy }

/** Sends a whole document, compressed as the browser likes it. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  shell: Shell,
  page: Page,
): Promise<FastifyReply> {
  const { css, policy } = dressOf(shell, page)
  const html = documentOf(page, css, shell.head.early)
  const { encoding, bytes } = await compress(html, String(request.headers['accept-encoding'] ?? ''))
  if (encoding) reply.header('content-encoding', encoding)
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', policy)
    .header('vary', 'accept-encoding')
    .type('text/html; charset=utf-8')
    .send(bytes)
}

/**
 * The styles are inline, and the script waits until all is read: the first paint needs this document and nothing else. It
 * is named first, so that it is on its way before anything else is read.
 */
const documentOf = (
  { title, description, body, start, enrollment_id, script, next }: Page,
  css: string,
  early: string,
) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${script ? `<script type="module" src="${script}"${next ? ` data-next="${next}"` : ''}></script>\n` : ''}<title>${escapeHtml(title)}</title>
${description ? `<meta name="description" content="${escapeHtml(description)}">\n` : ''}<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${enrollment_id ? `<meta name="enrollment" content="${escapeHtml(enrollment_id)}">\n` : ''}<style>${css}</style>
${start ? `<script>${early}</script>\n` : ''}</head>
<body>${body}
${start ? `<script type="application/json" id="start">${inScript(start)}</script>\n` : ''}</body>
</html>
`

/** JSON that cannot end its script element. */
const inScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

async function compress(html: string, accepted: string): Promise<{ encoding?: string; bytes: Buffer }> {
  const plain = Buffer.from(html)
  if (/\bbr\b/.test(accepted))
    return { encoding: 'br', bytes: await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) }
  if (/\bgzip\b/.test(accepted)) return { encoding: 'gzip', bytes: await zip(plain) }
  return { bytes: plain }
}
