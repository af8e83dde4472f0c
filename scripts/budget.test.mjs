// The size of what a visitor downloads first: the page and one script. The budgets are in bench/budgets.json.
import { readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const head = JSON.parse(readFileSync('dist/page.json', 'utf8'))
const { page } = JSON.parse(readFileSync('bench/budgets.json', 'utf8'))

it('14.1 the first load is one script of at most 71 kB brotli', () => {
  expect(page.first_script_brotli_bytes).toBeLessThanOrEqual(71_000)
  expect(statSync(`dist/web${head.script}.br`).size).toBeLessThanOrEqual(page.first_script_brotli_bytes)
  const script = readFileSync(`dist/web${head.script}`, 'utf8')
  const imported = [...script.matchAll(/^import\b[^(]*?from ?["'](.+?)["']/gm)].map(([, file]) => file)
  expect(imported).toEqual([])
})

it('14.1 the inlined styles and script are at most 5 kB brotli', () => {
  expect(page.inlined_brotli_bytes).toBeLessThanOrEqual(5_000)
  expect(brotliCompressSync(head.css + head.early).length).toBeLessThanOrEqual(page.inlined_brotli_bytes)
})

it('19.16 the script of the console is at most 150 kB brotli', () => {
  expect(statSync(`dist/web${head.consoleScript}.br`).size).toBeLessThanOrEqual(page.console_script_brotli_bytes)
  expect(page.console_script_brotli_bytes).toBeLessThanOrEqual(150_000)
})
