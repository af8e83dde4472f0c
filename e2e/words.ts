import type { Page } from '@playwright/test'

/** The words of visible elements that are broken in two by the end of a line. */
export const brokenWords = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const isBroken = (node: Node, { index, 0: word }: RegExpMatchArray) => {
      const range = new Range()
      range.setStart(node, index ?? 0)
      range.setEnd(node, (index ?? 0) + word.length)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
    }
    const textsIn = (element: Element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const nodes: Node[] = []
      while (walker.nextNode()) nodes.push(walker.currentNode)
      return nodes
    }
    return [...document.querySelectorAll(wanted)]
      .filter((element) => element.checkVisibility())
      .flatMap(textsIn)
      .flatMap((node) => [...(node.textContent ?? '').matchAll(/[^\s.@-]+/g)].filter((match) => isBroken(node, match)))
      .map(([word]) => word)
  }, selector)
