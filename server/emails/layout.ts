import { theme } from '#contract/brand.ts'
import type { Operator } from '#contract/receipts.ts'
import type { SiteBrand } from '#server/brand/brand.ts'
import type { Email } from '#server/gateways/mail/port.ts'
import { oneLine } from './plain-text.ts'

/** A part of an email, as plain text and as HTML in the colors of the brand. */
export type Block = { text: string; html: (brand: SiteBrand) => string }

/** Many mail clients ignore style sheets, so every element has inline styles. */
const textColor = '#1d1b17'
const mutedColor = '#5c574d'
const borderColor = '#e4ded2'
const cardColor = '#ffffff'
const backgroundColor = '#faf8f4'
const bodyStyle = `font-family:${theme.font};font-size:16px;line-height:1.55;color:${textColor}`
const headingStyle = `font-family:${theme['font-head']};font-weight:600;line-height:1.25;color:${textColor}`
const wrapStyle = 'overflow-wrap:anywhere;word-break:break-word'
const noWrapStyle = 'white-space:nowrap'
/** For mail clients that follow the reader's dark mode. It must override the inline styles. */
const darkStyle = ({ dark }: SiteBrand) => `@media (prefers-color-scheme:dark){
.paper,.accepted{background:#171510!important}
.card{background:#24211b!important}
.card,.card td,.card table,.accepted{border-color:#3d382e!important}
.paper,.paper td,.paper p,.paper h1,.paper h2,.paper h3,.paper h4,.paper li{color:#f5f1e8!important}
.paper a{color:${dark.accent}!important}
.paper .tint{background:${dark['accent-tint']}!important}
.paper .brand,.paper .brand a{color:#ffffff!important}
}`
const table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'

/** Names and other input become a single line of text, never markup. */
const escapeText = (text: string) => escapeHtml(oneLine(text))

/** Left out of the plain text, where the subject is shown above the text anyway. */
export const mainHeading = (text: string): Block => ({
  text: '',
  html: () => `<h1 style="margin:0 0 20px;${headingStyle};font-size:28px">${escapeText(text)}</h1>`,
})

export const heading = (text: string): Block => ({
  text: oneLine(text).toUpperCase(),
  html: () => `<h2 style="margin:32px 0 12px;${headingStyle};font-size:20px">${escapeText(text)}</h2>`,
})

export const paragraph = (text: string): Block => ({
  text: oneLine(text),
  html: () => `<p style="margin:0 0 16px;${bodyStyle};${wrapStyle}">${escapeText(text)}</p>`,
})

export const smallPrint = (text: string): Block => ({
  text: oneLine(text),
  html: () =>
    `<p style="margin:0 0 12px;${bodyStyle};font-size:14px;color:${mutedColor};${wrapStyle}">${escapeText(text)}</p>`,
})

/** A sentence that ends with a link. */
export const smallPrintLink = (text: string, label: string, href: string): Block => ({
  text: `${oneLine(text)} ${oneLine(label)}: ${href}`,
  html: (brand) =>
    `<p style="margin:0 0 12px;${bodyStyle};font-size:14px;color:${mutedColor};${wrapStyle}">${escapeText(text)} ${link(brand, href, oneLine(label))}</p>`,
})

/** A button, with its URL as a plain link below for mail clients that do not show it. */
export const button = (label: string, href: string): Block => ({
  text: `${oneLine(label)}: ${href}`,
  html: (brand) => `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 12px"><tr>
<td class="brand" bgcolor="${brand.light.accent}" style="border-radius:10px;background:${brand.light.accent}"><a href="${escapeHtml(href)}" style="display:inline-block;padding:14px 26px;font-family:${theme.font};font-size:16px;line-height:1.2;font-weight:600;color:#ffffff;text-decoration:none">${escapeText(label)}</a></td>
</tr></table>
<p style="margin:0 0 20px;${bodyStyle};font-size:14px;color:${mutedColor};${wrapStyle}">${link(brand, href)}</p>`,
})

type Pair = readonly [name: string, value: string]

export const detailsTable = (pairs: Pair[]): Block => ({
  text: pairs.map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`).join('\n'),
  html: () => `${table} style="margin:0 0 24px;border-bottom:1px solid ${borderColor}">
${pairs.map(([name, value]) => row(name, value, `font-size:14px;color:${mutedColor}`)).join('\n')}
</table>`,
})

/** Order lines, total, and below them the payment details. */
export const receipt = (lines: Pair[], total: string, pairs: Pair[]): Block => ({
  text: [...lines, ['Total', total] as const, ...pairs]
    .map(([name, value]) => `  ${oneLine(name)}: ${oneLine(value)}`)
    .join('\n'),
  html: (brand) => `${table}>
${lines.map(([name, amount]) => row(name, amount, '', noWrapStyle)).join('\n')}
${row('Total', total, `border-top:2px solid ${textColor};font-weight:600;font-size:18px`, noWrapStyle)}
</table>
${detailsTable(pairs).html(brand)}`,
})

const row = (name: string, value: string, rowStyle = '', valueStyle = wrapStyle) => {
  const cell = `border-top:1px solid ${borderColor};${bodyStyle};${rowStyle}`
  return `<tr valign="top"><td style="padding:10px 16px 10px 0;${cell}">${escapeText(name)}</td>
<td align="right" style="padding:10px 0;${cell};${valueStyle}">${escapeText(value)}</td></tr>`
}

/** A prominent link that is easy to copy. */
export const linkBox = (href: string): Block => ({
  text: href,
  html: (brand) =>
    `${table} style="margin:0 0 24px"><tr><td class="tint" bgcolor="${brand.light['accent-tint']}" align="center" style="padding:18px 16px;border-radius:10px;background:${brand.light['accent-tint']};${bodyStyle};font-size:18px;font-weight:600;${wrapStyle}">${link(brand, href, href.replace(/^https?:\/\//, ''))}</td></tr></table>`,
})

/** A hash in a monospaced font. */
export const hashLine = (name: string, hash: string): Block => ({
  text: `${oneLine(name)}: ${oneLine(hash)}`,
  html: () =>
    `<p style="margin:-12px 0 20px;${bodyStyle};font-size:13px;color:${mutedColor};${wrapStyle}">${escapeText(name)}<br><span style="font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace">${escapeText(hash)}</span></p>`,
})

/** The exact text the member accepted. `content` is HTML that was sanitized before it was stored. */
export const acceptedText = (content: string, text: string): Block => ({
  text: `----------\n${text}\n----------`,
  html: () =>
    `<div class="accepted" style="margin:0 0 24px;padding:4px 20px;border:1px solid ${borderColor};border-radius:10px;background:${backgroundColor};${bodyStyle};font-size:15px;${wrapStyle}">${/^\s*</.test(content) ? content : `<p>${content}</p>`}</div>`,
})

const link = ({ light }: SiteBrand, href: string, label = href) =>
  `<a href="${escapeHtml(href)}" style="color:${light.accent};text-decoration:underline">${escapeHtml(label)}</a>`

type EmailContent = {
  to: string
  subject: string
  /** Mail clients show it next to the subject. */
  preview: string
  /** The site's URL, shown in the footer with the company that runs it. */
  from: string
  operator: Operator
  blocks: Block[]
} & Pick<Email, 'attachment' | 'unsubscribeUrl'>

/** Builds an email from its blocks: plain text, and HTML that loads nothing from the network. */
export function composeEmail(content: EmailContent, brand: SiteBrand): Email {
  const { to, subject, preview, from, operator, blocks, ...extras } = content
  const { name } = brand.page
  const { accent } = brand.light
  const company = [operator.name, operator.address].filter(Boolean).join(', ')
  const footer = [company, brand.email_footer ?? ''].filter((line) => line && line !== name).map(oneLine)
  const foot = ['-- ', name, from, ...footer].join('\n')
  const text = [...blocks.map((block) => block.text).filter(Boolean), foot].join('\n\n')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(subject)}</title>
<style>.accepted h1,.accepted h2,.accepted h3,.accepted h4{margin:20px 0 8px;font-size:16px;line-height:1.3}.accepted ul,.accepted ol{padding-left:20px}${darkStyle(brand)}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${backgroundColor}">
<div style="display:none;max-height:0;overflow:hidden">${escapeText(preview)}</div>
${table} class="paper" bgcolor="${backgroundColor}" style="background:${backgroundColor}"><tr><td align="center" style="padding:24px 12px 40px">
${table} style="max-width:600px;border-collapse:separate">
<tr><td class="brand" bgcolor="${accent}" style="padding:18px 24px;border-radius:14px 14px 0 0;background:${accent};font-family:${theme['font-head']};font-size:22px;line-height:1.2;font-weight:600;color:#ffffff">${escapeText(name)}</td></tr>
<tr><td class="card" bgcolor="${cardColor}" style="padding:32px 24px 16px;border:1px solid ${borderColor};border-top:0;border-radius:0 0 14px 14px;background:${cardColor}">
${blocks.map((block) => block.html(brand)).join('\n')}
</td></tr>
<tr><td align="center" style="padding:20px 8px 0;font-family:${theme.font};font-size:13px;line-height:1.5;color:${mutedColor}">${escapeText(name)} · ${link(brand, from)}${footer.map((line) => `<br>${escapeHtml(line)}`).join('')}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
  return { to, subject: oneLine(subject), text: `${text}\n`, html, ...extras }
}

/** Safe inside an element and inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
