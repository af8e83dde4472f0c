import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import fc from 'fast-check'
import sanitizeHtml from 'sanitize-html'
import { loadHarness } from './harness.ts'
import type * as harness from './legal-harness.tsx'

declare const legal: typeof harness

const allowed = 'h2 h3 h4 p ul ol li strong b em i br a blockquote'.split(' ')
const link = 'target="_blank" rel="noopener noreferrer"'

loadHarness('legal-harness.tsx', 'legal')

const render = (page: Page, texts: string[]) => page.evaluate((all) => all.map((html) => legal.render(html)), texts)

async function expectRendered(page: Page, cases: [title: string, html: string, expected: string][]) {
  const results = await render(
    page,
    cases.map(([, html]) => html),
  )
  expect(cases.map(([title], index) => [title, results[index]])).toEqual(
    cases.map(([title, , expected]) => [title, expected]),
  )
}

test('a legal document may contain headings, paragraphs, lists, quotes and emphasis', async ({ page }) => {
  const tags = allowed.filter((tag) => tag !== 'br' && tag !== 'a' && tag !== 'li')
  await expectRendered(page, [
    ...tags.map((tag): [string, string, string] => [tag, `<${tag}>x</${tag}>`, `<${tag}>x</${tag}>`]),
    ['li', '<ul><li>x</li></ul>', '<ul><li>x</li></ul>'],
  ])
})

test('a legal document shows links, line breaks and special characters', async ({ page }) => {
  await expectRendered(page, [
    [
      'a link to a page',
      '<a href="https://example.com/a?b=1&amp;c=2">x</a>',
      `<a href="https://example.com/a?b=1&amp;c=2" ${link}>x</a>`,
    ],
    ['an email link', "<a href='mailto:ana@example.com'>x</a>", `<a href="mailto:ana@example.com" ${link}>x</a>`],
    ['a link without quotes', '<A HREF=http://example.com>x</A>', `<a href="http://example.com/" ${link}>x</a>`],
    ['a line break', 'a<br>b<br/>c', 'a<br/>b<br/>c'],
    ['named entities', '&copy; &ldquo;A&rdquo; &amp; B&nbsp;&mdash;&hellip;', '© “A” &amp; B\u00a0—…'],
    ['numeric entities', '&#8364;&#x20AC;&#39;', '€€&#x27;'],
    [
      'unknown entities',
      '&constructor; &unknown; &amp &#0; &#xD800; &#9999999;',
      '&amp;constructor; &amp;unknown; &amp; \ufffd \ufffd \ufffd',
    ],
    ['an entity is decoded only once', '&amp;lt;b&amp;gt;', '&amp;lt;b&amp;gt;'],
    ['text that looks like tags', '1 < 2 & 3 > 2 <', '1 &lt; 2 &amp; 3 &gt; 2 &lt;'],
    ['escaped tags as text', '&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ])
})

test('a legal document with broken markup is repaired', async ({ page }) => {
  await expectRendered(page, [
    ['closes open elements', '<p>a<strong>b', '<p>a<strong>b</strong></p>'],
    ['closes a paragraph before the next', '<p>a<p>b', '<p>a</p><p>b</p>'],
    ['closes a list item before the next', '<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['keeps a list in a list', '<ul><li>a<ol><li>b</ol><li>c</ul>', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>'],
    ['untangles crossed elements', '<p><b>a</p>b</b>', '<p><b>a</b></p><b>b</b>'],
    ['ignores closing tags without an opening one', '</ul>a</div>', 'a'],
    [
      'has no link inside a link',
      '<a href="https://a.example">a<a href="https://b.example">b</a>c</a>',
      `<a href="https://a.example/" ${link}>a</a><a href="https://b.example/" ${link}>b</a>c`,
    ],
    [
      'has no link inside a link, across a removed element',
      '<a href="https://a.example">a<svg><desc><a href="https://b.example">b</a></desc></svg></a>',
      `<a href="https://a.example/" ${link}>ab</a>`,
    ],
  ])
})

test('a legal document keeps only allowed elements and attributes', async ({ page }) => {
  await expectRendered(page, [
    ['a script', 'a<script>alert("</p>")</script>b', 'ab'],
    ['a script without an end', 'a<script>alert(1)', 'a'],
    ['a script in capitals', 'a<SCRIPT SRC=//x>1</SCRIPT >b', 'ab'],
    ['a script tag inside a tag', '<scr<script>1</script>ipt>alert(1)</script>', '1ipt&gt;alert(1)'],
    ['styles', '<style>p{display:none}</style>a', 'a'],
    ['a comment', 'a<!-- <p>no</p> --><!-->b-->c', 'ab--&gt;c'],
    ['a comment without an end', 'a<!-- b', 'a'],
    ['a doctype', '<!doctype html><?xml?>a', 'a'],
    ['other elements, but not their text', '<div><span>a</span><img src=x onerror=alert(1)></div>', 'a'],
    ['drawings', '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">a</a></svg>', 'a'],
    ['links in drawings', '<svg><a href="https://a.example">a</a></svg>', 'a'],
    ['attributes', '<p onclick="alert(1)" style="x" class=y id=z>a</p>', '<p>a</p>'],
    ['attributes that contain >', '<p title="a>b">c</p>', '<p>c</p>'],
    ['a link that runs a script', '<a href="javascript:alert(1)">a</a>', 'a'],
    ['a link that runs a script, encoded', '<a href=" jAvAsCrIpT&#58;alert(1)">a</a>', 'a'],
    ['a link that runs a script, broken up', '<a href="java\nscript&colon;alert(1)">a</a>', 'a'],
    ['a link with data', '<a href="data:text/html,<script>1</script>">a</a>', 'a'],
    ['a link to this site', '<a href="/office">a</a> <a href="//evil.example">b</a>', 'a b'],
    ['a link without an address', '<a href="https://">a</a> <a name="x">b</a>', 'a b'],
    ['an address in another attribute', '<a title="href=https://a.example">a</a>', 'a'],
    ['a second address', '<a href="/x" href="https://a.example">a</a>', 'a'],
    ['forms and templates', '<template><p>a</p></template><textarea>b</textarea><button>c</button>', 'c'],
  ])
})

// biome-ignore format: one line per kind of piece
const hostilePiece = fc.constantFrom(
  '<', '>', '</', '/>', '"', "'", '=', ' ', '\n', '&', ';', '&#x6a;', '&lt;', '<!--', '-->', '<![CDATA[', ']]>',
  'script', '<script', '</script>', '<style>', '<svg', '<math>', '<img', '<iframe', '<template>', '<p', '<p>', '</p>',
  '<a', '<a href=', '<a href="', 'javascript:', 'java\tscript:', 'https://', 'mailto:', 'data:', '</a>', '<b>', '<li>',
  ' onclick=', ' href=', ' style=', 'onerror', 'alert(1)', '<ul>', '</ul>', '<h2>', '<blockquote>', '\0', '\u2028', 'é',
)

test('a legal document made of random hostile pieces shows only allowed elements', async ({ page }) => {
  const text = fc.oneof(
    fc.array(hostilePiece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  )
  const texts = fc.sample(text, 10_000)
  const rendered = await page.evaluate((all) => all.map((html) => legal.elementsIn(html)), texts)
  const isHarmless = ({ type, props }: harness.RenderedElement) => {
    const { href, target: _target, rel: _rel, ...others } = props
    if (!allowed.includes(type)) return false
    if (type !== 'a') return Object.keys(props).length === 0
    return Object.keys(others).length === 0 && /^(https?:\/\/|mailto:)/.test(String(href))
  }
  expect(rendered.flat().length).toBeGreaterThan(1000)
  expect(texts.filter((_, index) => !rendered[index]?.every(isHarmless))).toEqual([])
})

test('sanitizing a legal document twice gives the same result as once', async ({ page }) => {
  const texts = fc.sample(
    fc.array(hostilePiece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    1000,
  )
  const firstPass = await render(page, texts)
  expect(await render(page, firstPass)).toEqual(firstPass)
})

test('a very deep or long legal document is rendered in reasonable time', async ({ page }) => {
  const texts = [
    '<b>'.repeat(50_000),
    '<p>x'.repeat(5_000),
    '<a '.repeat(50_000),
    '<a "'.repeat(50_000),
    `<a ${'href=" '.repeat(50_000)}`,
    '<!--'.repeat(50_000),
    '<script>'.repeat(50_000),
    `${'<b>'.repeat(20)}${'</i>'.repeat(50_000)}`,
  ]
  expect(await render(page, texts)).toHaveLength(texts.length)
})

test('the legal documents that we ship are shown in full', async ({ page }) => {
  const folder = join(import.meta.dirname, '../server/cli/samples/documents')
  const stored = readdirSync(folder).map((file) => sanitizeHtml(readFileSync(join(folder, file), 'utf8')))
  const words = (html: string) => sanitizeHtml(html, { allowedTags: [] }).split(/\s+/).filter(Boolean)
  expect((await render(page, stored)).map(words)).toEqual(stored.map(words))
})
