import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { isValidElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import sanitizeHtml from 'sanitize-html'
import { describe, expect, test } from 'vitest'
import { LegalText, toElements } from './LegalText.tsx'

const allowed = 'h2 h3 h4 p ul ol li strong b em i br a blockquote'.split(' ')
const link = 'target="_blank" rel="noopener noreferrer"'
const show = (html: string) =>
  renderToStaticMarkup(<LegalText html={html} />).replace(/^<div class="legal">(.*)<\/div>$/s, '$1')

type Props = { href?: string; target?: string; rel?: string; children?: ReactNode }
/** Every element that would be shown, however deep. */
const elementsIn = (node: ReactNode): { type: string; props: Props }[] => {
  if (Array.isArray(node)) return node.flatMap(elementsIn)
  if (!isValidElement<Props>(node)) return []
  return [{ type: String(node.type), props: node.props }, ...elementsIn(node.props.children)]
}

function expectHarmless(html: string) {
  for (const { type, props } of elementsIn(toElements(html))) {
    const { children, href, target, rel, ...others } = props
    expect(allowed).toContain(type)
    expect(others).toEqual({})
    if (type === 'a') expect(href).toMatch(/^(https?:\/\/|mailto:)/)
    else expect([href, target, rel]).toEqual([undefined, undefined, undefined])
  }
}

describe('a legal document', () => {
  test.each(allowed.filter((tag) => tag !== 'br' && tag !== 'a'))('may have %s', (tag) =>
    expect(show(`<${tag}>x</${tag}>`)).toBe(`<${tag}>x</${tag}>`),
  )

  test.each([
    [
      'a link to a page',
      '<a href="https://example.com/a?b=1&amp;c=2">x</a>',
      `<a href="https://example.com/a?b=1&amp;c=2" ${link}>x</a>`,
    ],
    ['a link to a mailbox', "<a href='mailto:ana@example.com'>x</a>", `<a href="mailto:ana@example.com" ${link}>x</a>`],
    ['a link without quotes', '<A HREF=http://example.com>x</A>', `<a href="http://example.com/" ${link}>x</a>`],
    ['a line break', 'a<br>b<br/>c', 'a<br/>b<br/>c'],
    ['named entities', '&copy; &ldquo;A&rdquo; &amp; B&nbsp;&mdash;&hellip;', '© “A” &amp; B\u00a0—…'],
    ['numbered entities', '&#8364;&#x20AC;&#39;', '€€&#x27;'],
    [
      'entities that name nothing',
      '&constructor; &nothing; &amp &#0; &#xD800; &#9999999;',
      '&amp;constructor; &amp;nothing; &amp;amp \ufffd \ufffd \ufffd',
    ],
    ['an entity is decoded once', '&amp;lt;b&amp;gt;', '&amp;lt;b&amp;gt;'],
    ['words that look like tags', '1 < 2 & 3 > 2 <', '1 &lt; 2 &amp; 3 &gt; 2 &lt;'],
    ['escaped tags as words', '&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ])('shows %s', (_, html, shown) => expect(show(html)).toBe(shown))

  test.each([
    ['ends open elements', '<p>a<strong>b', '<p>a<strong>b</strong></p>'],
    ['ends a paragraph at the next', '<p>a<p>b', '<p>a</p><p>b</p>'],
    ['ends a point at the next', '<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['keeps a list in a list', '<ul><li>a<ol><li>b</ol><li>c</ul>', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>'],
    ['ends crossed elements', '<p><b>a</p>b</b>', '<p><b>a</b></p>b'],
    ['forgets ends without a beginning', '</p></ul>a</div>', 'a'],
    [
      'has no link in a link',
      '<a href="https://a.example">a<a href="https://b.example">b</a>c</a>',
      `<a href="https://a.example/" ${link}>ab</a>c`,
    ],
  ])('%s', (_, html, shown) => expect(show(html)).toBe(shown))

  test.each([
    ['a script', 'a<script>alert("</p>")</script>b', 'ab'],
    ['a script that never ends', 'a<script>alert(1)', 'a'],
    ['a script in capitals', 'a<SCRIPT SRC=//x>1</SCRIPT >b', 'ab'],
    ['a script made of halves', '<scr<script>1</script>ipt>alert(1)</script>', '&lt;script&gt;alert(1)'],
    ['styles', '<style>p{display:none}</style>a', 'a'],
    ['a comment', 'a<!-- <p>no</p> --><!-->b-->c', 'ac'],
    ['a comment that never ends', 'a<!-- b', 'a'],
    ['a doctype', '<!doctype html><?xml?>a', 'a'],
    ['other elements, not their words', '<div><span>a</span><img src=x onerror=alert(1)></div>', 'a'],
    ['pictures that draw', '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">a</a></svg>', 'a'],
    ['attributes', '<p onclick="alert(1)" style="x" class=y id=z>a</p>', '<p>a</p>'],
    ['attributes with a > inside', '<p title="a>b">c</p>', '<p>c</p>'],
    ['a link that runs', '<a href="javascript:alert(1)">a</a>', 'a'],
    ['a link that runs, in disguise', '<a href=" jAvAsCrIpT&#58;alert(1)">a</a>', 'a'],
    ['a link that runs, broken up', '<a href="java\nscript&colon;alert(1)">a</a>', 'a'],
    ['a link with data', '<a href="data:text/html,<script>1</script>">a</a>', 'a'],
    ['a link to this site', '<a href="/office">a</a> <a href="//evil.example">b</a>', 'a b'],
    ['a link that is none', '<a href="https://">a</a> <a name="x">b</a>', 'a b'],
    ['an address in another attribute', '<a title="href=https://a.example">a</a>', 'a'],
    ['a second address', '<a href="/x" href="https://a.example">a</a>', 'a'],
  ])('drops %s', (_, html, shown) => expect(show(html)).toBe(shown))

  const hostile = fc.constantFrom(
    ...['<', '>', '</', '/>', '"', "'", '=', ' ', '\n', '&', ';', '&#x6a;', '&lt;', '<!--', '-->', '<![CDATA[', ']]>'],
    ...[
      'script',
      '<script',
      '</script>',
      '<style>',
      '<svg',
      '<math>',
      '<img',
      '<iframe',
      '<template>',
      '<p',
      '<p>',
      '</p>',
    ],
    ...[
      '<a',
      '<a href=',
      '<a href="',
      'javascript:',
      'java\tscript:',
      'https://',
      'mailto:',
      'data:',
      '</a>',
      '<b>',
      '<li>',
    ],
    ...[
      ' onclick=',
      ' href=',
      ' style=',
      'onerror',
      'alert(1)',
      '<ul>',
      '</ul>',
      '<h2>',
      '<blockquote>',
      '\0',
      '\u2028',
      'é',
    ],
  )

  test('lets through nothing that is not on the list, whatever it is given', () => {
    const texts = fc.oneof(
      fc.array(hostile, { maxLength: 40 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(fc.property(texts, expectHarmless), { numRuns: 5000 })
  })

  test('what was shown once is shown the same again', () => {
    const texts = fc.array(hostile, { maxLength: 30 }).map((pieces) => show(pieces.join('')))
    fc.assert(
      fc.property(texts, (shown) => {
        expect(show(shown)).toBe(shown)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['deep', '<b>'.repeat(50_000)],
    ['wide', '<p>x'.repeat(5_000)],
    ['full of beginnings', '<a '.repeat(50_000)],
    ['full of quotes', '<a "'.repeat(50_000)],
    ['full of attributes', `<a ${'href=" '.repeat(50_000)}`],
    ['full of comments', '<!--'.repeat(50_000)],
    ['full of scripts', '<script>'.repeat(50_000)],
    ['full of ends', `${'<b>'.repeat(20)}${'</i>'.repeat(50_000)}`],
  ])('that is %s comes to an end', (_, html) => {
    expect(toElements(html)).toBeDefined()
  })

  const seeds = 'server/db/seed/documents'
  test.each(readdirSync(seeds))('of our own, %s, is shown to the last word', (file) => {
    const stored = sanitizeHtml(readFileSync(`${seeds}/${file}`, 'utf8'))
    const words = (html: string) => sanitizeHtml(html, { allowedTags: [] }).split(/\s+/).filter(Boolean)
    expect(words(show(stored))).toEqual(words(stored))
  })
})
