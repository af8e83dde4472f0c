import { expect, it } from 'vitest'
import { htmlToText, oneLine } from './plain-text.ts'

it.each([
  ['<h2>Title</h2><p>One &amp; two.</p><p>Three</p>', 'Title\n\nOne & two.\n\nThree'],
  ['<ul><li><strong>Price:</strong> $99</li>\n<li>Date</li></ul><p>After</p>', '- Price: $99\n- Date\n\nAfter'],
  ['One<br />two', 'One\ntwo'],
  [
    '<p>See <a href="https://a.example/x?a=1&amp;b=2">the terms</a>.</p>',
    'See the terms (https://a.example/x?a=1&b=2).',
  ],
  ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
  ['&lt;b&gt; is not bold, &amp;lt; is not decoded twice', '<b> is not bold, &lt; is not decoded twice'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['I agree.', 'I agree.'],
])('15.12 an accepted text is readable as plain text: %s', (html, text) => {
  expect(htmlToText(html)).toBe(text)
})

it('15.12 a name is a single line without text direction characters', () => {
  expect(oneLine(' Ana\r\nBcc: eve\u202e\u2028 \u0007x ')).toBe('Ana Bcc: eve x')
  expect(oneLine('Zoë 👩‍👩‍👧 שלום')).toBe('Zoë 👩‍👩‍👧 שלום')
})
