import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toHtml, toPlainText } from './plainText.ts'

const text = `## Your membership

It costs **$99.00** a month & renews *monthly*.
You can cancel <any> time.

### What you get

- a link
- an office

1. join
2. invite

> Ask [us](https://foyer.example/help?a=1&b=2).`

describe('19.56 a document is edited as plain text', () => {
  it('comes back as it was entered', () => {
    const html = toHtml(text)
    expect(html).toContain('<h2>Your membership</h2>')
    expect(html).toContain('<strong>$99.00</strong> a month &amp; renews <em>monthly</em>.<br />You can')
    expect(html).toContain('<ul>\n<li>a link</li>\n<li>an office</li>\n</ul>')
    expect(html).toContain('<a href="https://foyer.example/help?a=1&amp;b=2">us</a>')
    expect(html).toContain('&lt;any&gt;')
    expect(toPlainText(html)).toBe(text)
  })

  it.each([
    ['<h2>Terms</h2>\n<p>One\n two.</p>', '## Terms\n\nOne two.'],
    ['<p><b>Bold</b></p>', '**Bold**'],
    ['', ''],
  ])('reads HTML that was written by hand: %s', (html, expected) => {
    expect(toPlainText(html)).toBe(expected)
  })

  it.each([
    ['a list in a list', '<ul><li>one<ul><li>two</li></ul></li></ul>'],
    ['text without a paragraph', 'Just text'],
    ['a table', '<table><tr><td>a</td></tr></table>'],
    ['a star that would become bold', '<p>**not bold**</p>'],
  ])('leaves %s to the HTML view', (_what, html) => {
    expect(toPlainText(html)).toBe(undefined)
  })

  it.each(readdirSync('server/cli/samples/documents'))('reads %s, which we ship', (file) => {
    expect(
      toPlainText(readFileSync(`server/cli/samples/documents/${file}`, 'utf8').replace(/^<!--[\s\S]*?-->/, '')),
    ).toMatch(/^## |^\w/)
  })

  it('escapes markup in what is typed', () => {
    expect(toHtml('<script>alert(1)</script> [x](javascript:alert(1))')).toBe(
      '<p>&lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert(1))</p>',
    )
  })
})
