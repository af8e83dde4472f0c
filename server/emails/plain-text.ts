import { directionMarks } from '#contract/fields.ts'

/** Keeps a name on one line and removes characters that change the text direction. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(directionMarks, '')
    .replace(/ {2,}/g, ' ')
    .trim()

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Sanitized HTML as readable text: paragraphs separated, list entries with dashes, URLs after their links. */
export const htmlToText = (html: string): string =>
  html
    .replace(/\s+/g, ' ')
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_, href: string, label: string) =>
      label === href ? label : `${label} (${href})`,
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
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
