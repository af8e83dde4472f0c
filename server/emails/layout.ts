import { brand, theme } from '#contract/brand.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import { oneLine } from './plain-text.ts'

/** A piece of a letter, said in both ways at once. */
export type Block = { text: string; html: string }

/** Mail readers know no style sheet of ours, so every piece carries its own. */
const ink = '#1d1b17'
const soft = '#5c574d'
const line = '#e4ded2'
const card = '#ffffff'
const paper = '#faf8f4'
const base = `font-family:${theme.font};font-size:16px;line-height:1.55;color:${ink}`
const head = `font-family:${theme['font-head']};font-weight:600;line-height:1.25;color:${ink}`
const breaks = 'overflow-wrap:anywhere;word-break:break-word'
/** An amount is never broken. */
const whole = 'white-space:nowrap'
const table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'

/** What somebody typed is text: one line, and never markup. */
const shown = (text: string) => escapeHtml(oneLine(text))

/** Plain text has its subject above it already. */
export const mainHeading = (text: string): Block => ({
  text: '',
  html: `<h1 style="margin:0 0 20px;${head};font-size:28px">${shown(text)}</h1>`,
})

export const heading = (text: string): Block => ({
  text: oneLine(text).toUpperCase(),
  html: `<h2 style="margin:32px 0 12px;${head};font-size:20px">${shown(text)}</h2>`,
})

export const paragraph = (text: string): Block => ({
  text: oneLine(text),
  html: `<p style="margin:0 0 16px;${base};${breaks}">${shown(text)}</p>`,
})

export const smallPrint = (text: string): Block => ({
  text: oneLine(text),
  html: `<p style="margin:0 0 12px;${base};font-size:14px;color:${soft};${breaks}">${shown(text)}</p>`,
})

/** A link that cannot be missed, spelled out below for those who cannot press it. */
export const button = (label: string, href: string): Block => ({
  text: `${oneLine(label)}: ${href}`,
  html: `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 12px"><tr>
<td bgcolor="${theme.accent}" style="border-radius:10px;background:${theme.accent}"><a href="${escapeHtml(href)}" style="display:inline-block;padding:14px 26px;font-family:${theme.font};font-size:16px;line-height:1.2;font-weight:600;color:#ffffff;text-decoration:none">${shown(label)}</a></td>
</tr></table>
<p style="margin:0 0 20px;${base};font-size:14px;color:${soft};${breaks}">${link(href)}</p>`,
})

type Pair = readonly [name: string, value: string]

/** Names and values, side by side. */
export const facts = (pairs: Pair[]): Block => ({
  text: pairs.map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`).join('\n'),
  html: `${table} style="margin:0 0 24px;border-bottom:1px solid ${line}">
${pairs.map(([name, value]) => row(name, value, `font-size:14px;color:${soft}`)).join('\n')}
</table>`,
})

/** What was bought with an amount behind each name, the sum, and below it what a bookkeeper asks for. */
export const receipt = (lines: Pair[], total: string, pairs: Pair[]): Block => ({
  text: [...lines, ['Total', total] as const, ...pairs]
    .map(([name, value]) => `  ${oneLine(name)}: ${oneLine(value)}`)
    .join('\n'),
  html: `${table}>
${lines.map(([name, amount]) => row(name, amount, '', whole)).join('\n')}
${row('Total', total, `border-top:2px solid ${ink};font-weight:600;font-size:18px`, whole)}
</table>
${facts(pairs).html}`,
})

const row = (name: string, value: string, look = '', ending = breaks) => {
  const cell = `border-top:1px solid ${line};${base};${look}`
  return `<tr valign="top"><td style="padding:10px 16px 10px 0;${cell}">${shown(name)}</td>
<td align="right" style="padding:10px 0;${cell};${ending}">${shown(value)}</td></tr>`
}

/** An address to be seen at once, and to be copied. */
export const address = (href: string): Block => ({
  text: href,
  html: `${table} style="margin:0 0 24px"><tr><td bgcolor="${theme['accent-tint']}" align="center" style="padding:18px 16px;border-radius:10px;background:${theme['accent-tint']};${base};font-size:18px;font-weight:600;${breaks}">${link(href, href.replace(/^https?:\/\//, ''))}</td></tr></table>`,
})

/** Signs without spaces, such as a hash. */
export const code = (name: string, signs: string): Block => ({
  text: `${oneLine(name)}: ${oneLine(signs)}`,
  html: `<p style="margin:-12px 0 20px;${base};font-size:13px;color:${soft};${breaks}">${shown(name)}<br><span style="font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace">${shown(signs)}</span></p>`,
})

/** A text that was accepted, as it was: `content` is HTML that was sanitised when it was stored. */
export const acceptedText = (content: string, text: string): Block => ({
  text: `----------\n${text}\n----------`,
  html: `<div class="accepted" style="margin:0 0 24px;padding:4px 20px;border:1px solid ${line};border-radius:10px;background:${paper};${base};font-size:15px;${breaks}">${/^\s*</.test(content) ? content : `<p>${content}</p>`}</div>`,
})

const link = (href: string, words = href) =>
  `<a href="${escapeHtml(href)}" style="color:${theme.accent};text-decoration:underline">${escapeHtml(words)}</a>`

type Writing = {
  to: string
  subject: string
  /** What a mail reader shows beside the subject. */
  preview: string
  /** The site, named at the foot. */
  from: string
  blocks: Block[]
  attachment?: Email['attachment']
}

/** The letter from its pieces: plain text, and HTML that needs nothing from anywhere. */
export function composeEmail({ to, subject, preview, from, blocks, attachment }: Writing): Email {
  const text = [...blocks.map((block) => block.text).filter(Boolean), `-- \n${brand.name}\n${from}`].join('\n\n')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light">
<title>${shown(subject)}</title>
<style>.accepted h1,.accepted h2,.accepted h3,.accepted h4{margin:20px 0 8px;font-size:16px;line-height:1.3}.accepted ul,.accepted ol{padding-left:20px}</style>
</head>
<body style="margin:0;padding:0;background:${paper}">
<div style="display:none;max-height:0;overflow:hidden">${shown(preview)}</div>
${table} bgcolor="${paper}" style="background:${paper}"><tr><td align="center" style="padding:24px 12px 40px">
${table} style="max-width:600px;border-collapse:separate">
<tr><td bgcolor="${theme.accent}" style="padding:18px 24px;border-radius:14px 14px 0 0;background:${theme.accent};font-family:${theme['font-head']};font-size:22px;line-height:1.2;font-weight:600;color:#ffffff">${shown(brand.name)}</td></tr>
<tr><td bgcolor="${card}" style="padding:32px 24px 16px;border:1px solid ${line};border-top:0;border-radius:0 0 14px 14px;background:${card}">
${blocks.map((block) => block.html).join('\n')}
</td></tr>
<tr><td align="center" style="padding:20px 8px 0;font-family:${theme.font};font-size:13px;line-height:1.5;color:${soft}">${shown(brand.name)} · ${link(from)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
  return { to, subject: oneLine(subject), text: `${text}\n`, html, ...(attachment ? { attachment } : {}) }
}

/** Safe inside an element and inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
