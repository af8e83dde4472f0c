import { directionMarks } from '#contract/fields.ts'

/** A name cannot begin a line of its own, nor turn the direction of what follows. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(directionMarks, '')
    .replace(/ {2,}/g, ' ')
    .trim()

const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Sanitised HTML as text to read: paragraphs apart, items behind dashes, addresses behind their links. */
export const htmlToText = (html: string): string =>
  html
    .replace(/\s+/g, ' ')
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_, href: string, words: string) =>
      words === href ? words : `${words} (${href})`,
    )
    .replace(/ ?<br ?\/?> ?/g, '\n')
    .replace(/ ?<li\b[^>]*> ?/g, '\n- ')
    .replace(/ ?<\/(?:td|th)> ?/g, ' ')
    .replace(/ ?<tr\b[^>]*> ?/g, '\n')
    .replace(
      / ?<\/?(?:p|div|h\d|ul|ol|table|section|article|blockquote|pre|dl|hr|header|footer|main)\b[^>]*> ?/g,
      '\n\n',
    )
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => SIGNS[name] ?? '')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
