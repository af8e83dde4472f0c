import { Children, createElement, type ReactNode } from 'react'

// Imported by the payment step and the office, so it is part of their scripts and never of the first one.

const allowedTags = new Set('h2 h3 h4 p ul ol li strong b em i br a blockquote'.split(' '))
/** Elements whose content is not text to read. */
const droppedTags = new Set('script style title textarea template iframe noscript'.split(' '))
/** No element may contain another of its group; removing a tag between two could cause that. */
const groups: Record<string, string> = { a: 'link', p: 'paragraph', h2: 'heading', h3: 'heading', h4: 'heading' }
const MAX_DEPTH = 30

type HtmlPolicy = { createHTML: (html: string) => string }
type TrustedTypes = { createPolicy: (name: string, rules: HtmlPolicy) => HtmlPolicy }

/**
 * The page's content security policy lets only this policy parse HTML (server/http/headers.ts). Created on first use, so
 * that a proxy's stricter policy can only break reading a document, not the whole step.
 */
function getPolicy(): HtmlPolicy {
  const rules: HtmlPolicy = { createHTML: (html) => html }
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('foyer-legal', rules) ?? rules
  return policy
}
let policy: HtmlPolicy | undefined

/** A legal document. Its HTML was sanitized when it was stored, and is sanitized again here. Runs in browsers only. */
export const LegalText = ({ html }: { html: string }) => <div className="legal">{toElements(html)}</div>

/**
 * Parses HTML into an inert document, then copies the allowed elements to React. Other tags are removed but their text
 * stays. No attribute is copied except a safe link address.
 */
export function toElements(html: string): ReactNode[] {
  const parsed = new DOMParser().parseFromString(getPolicy().createHTML(`<body>${html}`), 'text/html')
  return copyChildren(parsed.body, { depth: 0, openGroups: [] })
}

type Position = { depth: number; openGroups: string[] }

function copyChildren(parent: Node, position: Position): ReactNode[] {
  const copies: ReactNode[] = []
  addCopies(copies, parent, position)
  return Children.toArray(copies) // adds keys
}

/** One list for an element and the removed tags in it, so that very deep documents are not copied again and again. */
function addCopies(copies: ReactNode[], parent: Node, position: Position) {
  for (const node of parent.childNodes) {
    if (node instanceof Text) copies.push(node.data)
    if (!(node instanceof Element) || droppedTags.has(node.localName)) continue
    const copy = copyElement(node, position)
    if (copy) copies.push(copy)
    else addCopies(copies, node, position)
  }
}

/** Undefined if the tag must be removed. */
function copyElement(element: Element, { depth, openGroups }: Position): ReactNode | undefined {
  const { localName: tag } = element
  const group = groups[tag] ?? ''
  const isAllowed = element instanceof HTMLElement && allowedTags.has(tag) && !openGroups.includes(group)
  if (!isAllowed || depth >= MAX_DEPTH) return undefined
  if (tag === 'br') return createElement(tag)
  const href = tag === 'a' ? safeAddress(element.getAttribute('href') ?? '') : undefined
  if (tag === 'a' && !href) return undefined
  const link = href ? { href, target: '_blank', rel: 'noopener noreferrer' } : undefined
  const inner = { depth: depth + 1, openGroups: group ? [...openGroups, group] : openGroups }
  return createElement(tag, link, copyChildren(element, inner))
}

/** Only absolute web and email addresses. */
function safeAddress(href: string) {
  const address = href.trim()
  return /^(https?:\/\/|mailto:)/i.test(address) && URL.canParse(address) ? new URL(address).href : undefined
}
