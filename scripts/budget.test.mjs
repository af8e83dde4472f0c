// What a visitor downloads before the first field answers. The promise is 70 kB of script in brotli; the page and one script.
import { readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const head = JSON.parse(readFileSync('dist/page.json', 'utf8'))

it('14.1 the first load is one script of at most 70 kB brotli', () => {
  expect(statSync(`dist/web${head.script}.br`).size).toBeLessThanOrEqual(70_000)
  const script = readFileSync(`dist/web${head.script}`, 'utf8')
  const imported = [...script.matchAll(/^import\b[^(]*?from ?["'](.+?)["']/gm)].map(([, file]) => file)
  expect(imported).toEqual([])
})

it('14.1 the inlined styles and lines are at most 8 kB brotli', () => {
  expect(brotliCompressSync(head.css + head.early).length).toBeLessThanOrEqual(8_000)
})
