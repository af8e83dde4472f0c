import { expect, test } from 'vitest'
import { isSite, SITE_PATTERN, siteIn } from './site.ts'

test.each(['ana', 'ana-maria', 'mary_ann', 'j.r.smith', '_ana-', '34', 'a..b', 'o'.repeat(60), 'master', 'mary.ai'])(
  '1.2 %s can be a site',
  (word) => expect([SITE_PATTERN.test(word), isSite(word)]).toEqual([true, true]),
)

test.each(['', '.', '..', '.ana', 'ana.', '-', '__clock', 'Ana', 'ana maria', 'añа', 'a/b', 'ana\n', 'o'.repeat(61)])(
  '1.2 %j cannot be a site',
  (word) => expect([SITE_PATTERN.test(word), isSite(word)]).toEqual([false, false]),
)

test.each(['api', 'billing', 'wp-login.php', 'robots.txt', 'ana.html', 'favicon.ico'])(
  '1.2 %s is a path or a reserved name, and no site',
  (word) => expect(isSite(word)).toBe(false),
)

test.each(['ana-maria', '/ana-maria', 'https://join.example/ana-maria?utm_source=qr', 'join.example/ana-maria#top'])(
  '1.2 the site in %s is ana-maria',
  (text) => expect(siteIn(text)).toBe('ana-maria'),
)
