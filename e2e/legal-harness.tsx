// Bundled by legal.spec.ts and run in the browser, because the documents are read by the browser's own parser.
import { isValidElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { LegalText, toElements } from '../web/dialog/LegalText.tsx'

export const show = (html: string) =>
  renderToStaticMarkup(<LegalText html={html} />).replace(/^<div class="legal">(.*)<\/div>$/s, '$1')

export type ShownElement = { type: string; props: Record<string, unknown> }

/** Every element that would be shown, at any depth, without its children. */
export const elementsIn = (html: string): ShownElement[] => flatten(toElements(html))

function flatten(node: ReactNode): ShownElement[] {
  if (Array.isArray(node)) return node.flatMap(flatten)
  if (!isValidElement<{ children?: ReactNode }>(node)) return []
  const { children, ...props } = node.props
  return [{ type: String(node.type), props }, ...flatten(children)]
}
