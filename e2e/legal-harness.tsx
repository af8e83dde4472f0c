// Bundled by legal.spec.ts and run in a browser, because LegalText uses the browser's own HTML parser.
import { isValidElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { LegalText, toElements } from '../web/dialog/LegalText.tsx'

export const render = (html: string) =>
  renderToStaticMarkup(<LegalText html={html} />).replace(/^<div class="legal">(.*)<\/div>$/s, '$1')

export type RenderedElement = { type: string; props: Record<string, unknown> }

/** Every rendered element, at any depth, without its children. */
export const elementsIn = (html: string): RenderedElement[] => flatten(toElements(html))

function flatten(node: ReactNode): RenderedElement[] {
  if (Array.isArray(node)) return node.flatMap(flatten)
  if (!isValidElement<{ children?: ReactNode }>(node)) return []
  const { children, ...props } = node.props
  return [{ type: String(node.type), props }, ...flatten(children)]
}
