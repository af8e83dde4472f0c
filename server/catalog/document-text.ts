import { hash } from 'node:crypto'
import sanitizeHtml from 'sanitize-html'

/** What is stored of an operator's HTML: no tag that could do anything. Only loaded where a text is entered. */
export const cleanText = (html: string): string => sanitizeHtml(html.replaceAll('\r\n', '\n')).trim()

export const hashText = (content: string): string => hash('sha256', content, 'hex')
