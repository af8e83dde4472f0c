import { createElement, type ReactNode } from 'react'

const shown = new Set('h2 h3 h4 p ul ol li strong b em i br a blockquote'.split(' '))
/** A paragraph or a heading ends where one of these begins. */
const blocks = new Set('h2 h3 h4 p ul ol li blockquote'.split(' '))
/** What stands in these is not for reading. */
const mute = new Set('script style title textarea template iframe noscript'.split(' '))
const MOST_NESTED = 30

const entities = new Map(
  (
    'amp& lt< gt> quot" apos\' nbsp\u00a0 shy\u00ad ndash– mdash— hellip… bull• middot· lsquo‘ rsquo’ ldquo“ rdquo” ' +
    'copy© reg® trade™ sect§ para¶ deg° times× cent¢ pound£ euro€'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
)

type Branch = { tag: string; href?: string | undefined; children: ReactNode[] }

/** A legal document. Its HTML was made safe when it was stored, and is not trusted here. */
export const LegalText = ({ html }: { html: string }) => <div className="legal">{toElements(html)}</div>

/**
 * HTML as React elements, by a list of what is let through. The text of other elements stays; their tags do not, nor does
 * any attribute but a link's address. The browser's own parser never sees it.
 */
export function toElements(html: string): ReactNode[] {
  const root: Branch = { tag: '', children: [] }
  const open = [root]
  let made = 0
  const add = (node: ReactNode) => open.at(-1)?.children.push(node)

  /** Ends the branch at this depth, and whatever was left open in it. */
  const end = (depth: number) => {
    while (depth > 0 && open.length > depth) {
      const { tag = '', href, children } = open.pop() ?? {}
      const link = href && { href, target: '_blank', rel: 'noopener noreferrer' }
      add(createElement(tag, { key: made++, ...link }, children))
    }
  }
  const innermost = (...tags: string[]) => open.findLastIndex(({ tag }) => tags.includes(tag))

  const begin = (tag: string, attributes: string) => {
    if (blocks.has(tag)) end(innermost('p', 'h2', 'h3', 'h4'))
    if (tag === 'li' && innermost('li') > innermost('ul', 'ol')) end(innermost('li'))
    const href = tag === 'a' && innermost('a') < 0 ? safeAddress(attributes) : undefined
    if (tag === 'br') add(createElement(tag, { key: made++ }))
    else if (open.length < MOST_NESTED && (tag !== 'a' || href)) open.push({ tag, href, children: [] })
  }

  const piece = /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>?|<(\/?)([a-z][^\s/<>]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|[^<]+|</gi
  for (let found = piece.exec(html); found; found = piece.exec(html)) {
    const [text, slash, name, attributes = ''] = found
    const tag = name?.toLowerCase()
    if (!tag && !/^<[!?]/.test(text)) add(decode(text))
    if (tag && mute.has(tag) && !slash) piece.lastIndex = endOf(tag, html, piece.lastIndex)
    if (tag && shown.has(tag)) slash ? end(innermost(tag)) : begin(tag, attributes)
  }
  end(1)
  return root.children
}

/** Behind the closing tag; without one, everything that follows belongs to it. */
function endOf(tag: string, html: string, from: number) {
  const closing = new RegExp(`</${tag}(?=[\\s/>])[^>]*>?`, 'gi')
  closing.lastIndex = from
  return closing.test(html) ? closing.lastIndex : html.length
}

/** Where a link leads, if that is a page or a mailbox. */
function safeAddress(attributes: string) {
  const pairs = [...attributes.matchAll(/([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g)]
  const href = pairs.find(([, name]) => name?.toLowerCase() === 'href')
  const address = decode(href?.[2] ?? href?.[3] ?? href?.[4] ?? '').trim()
  return /^(https?:\/\/|mailto:)/i.test(address) && URL.canParse(address) ? new URL(address).href : undefined
}

const decode = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) =>
    name ? (entities.get(name) ?? whole) : character(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )

const character = (code: number) =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
