import { Children, createElement, type ReactNode } from 'react'

// Imported by the payment step and the office, so it is part of their scripts and never of the first one.

const allowedTags = new Set('h2 h3 h4 p ul ol li strong b em i br a blockquote'.split(' '))
/** Elements whose content is not text to read. */
const droppedTags = new Set('script style title textarea template iframe noscript'.split(' '))
const MAX_DEPTH = 30

type HtmlPolicy = { createHTML: (html: string) => string }
type TrustedTypes = { createPolicy: (name: string, rules: HtmlPolicy) => HtmlPolicy }

/** The page's content security policy lets only this policy parse HTML (server/http/headers.ts). */
const rules: HtmlPolicy = { createHTML: (html) => html }
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('foyer-legal', rules) ?? rules

/** A legal document. Its HTML was sanitized when it was stored, and is sanitized again here. Runs in browsers only. */
export const LegalText = ({ html }: { html: string }) => <div className="legal">{toElements(html)}</div>

/**
 * Parses HTML into an inert document, then copies the allowed elements to React. Other tags are removed but their text
 * stays. No attribute is copied except a safe link address.
 */
export function toElements(html: string): ReactNode[] {
  const parsed = new DOMParser().parseFromString(policy.createHTML(`<body>${html}`), 'text/html')
  return copyChildren(parsed.body, { depth: 0, isInLink: false })
}

type Position = { depth: number; isInLink: boolean }

const copyChildren = (parent: Node, position: Position): ReactNode[] =>
  Children.toArray([...parent.childNodes].map((node) => copy(node, position))) // flattens them and adds keys

function copy(node: Node, position: Position): ReactNode {
  if (node instanceof Text) return node.data
  if (!(node instanceof Element) || droppedTags.has(node.localName)) return null
  const { localName: tag } = node
  const href = tag === 'a' && !position.isInLink ? safeAddress(node.getAttribute('href') ?? '') : undefined
  const isAllowed = node instanceof HTMLElement && allowedTags.has(tag) && (tag !== 'a' || href)
  if (!isAllowed || position.depth >= MAX_DEPTH) return copyChildren(node, position)
  if (tag === 'br') return createElement(tag)
  const link = href ? { href, target: '_blank', rel: 'noopener noreferrer' } : undefined
  const inner = { depth: position.depth + 1, isInLink: position.isInLink || tag === 'a' }
  return createElement(tag, link, copyChildren(node, inner))
}

/** Only absolute web and email addresses. */
function safeAddress(href: string) {
  const address = href.trim()
  return /^(https?:\/\/|mailto:)/i.test(address) && URL.canParse(address) ? new URL(address).href : undefined
}
