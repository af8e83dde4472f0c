// What a visitor downloads, in bytes, which are the same on every machine. The budgets are in bench/budgets.json; here is
// what they may be at most. `npm run bench -- page` counts the whole way from a link to the office.
import { readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const head = JSON.parse(readFileSync('dist/page.json', 'utf8'))
const { page } = JSON.parse(readFileSync('bench/budgets.json', 'utf8'))
const read = (script) => readFileSync(`dist/web${script}`, 'utf8')
const sizeOf = (script) => statSync(`dist/web${script}.br`).size
const importsOf = (script) => [...read(script).matchAll(/\bimport\b ?{([^}]*)} ?from ?["'`](.+?)["'`]/g)]

it('14.1 the first load is one script of at most 70 kB brotli', () => {
  expect(page.first_script_brotli_bytes).toBeLessThanOrEqual(70_000)
  expect(sizeOf(head.script)).toBeLessThanOrEqual(page.first_script_brotli_bytes)
  expect(importsOf(head.script)).toEqual([])
})

it('14.1 the inlined styles and script are at most 5 kB brotli', () => {
  expect(page.inlined_brotli_bytes).toBeLessThanOrEqual(5_000)
  expect(brotliCompressSync(head.css + head.early).length).toBeLessThanOrEqual(page.inlined_brotli_bytes)
})

it('14.1 the script of the office is at most 50 kB brotli, and takes React from the first script', () => {
  expect(page.office_script_brotli_bytes).toBeLessThanOrEqual(50_000)
  expect(sizeOf(head.officeScript)).toBeLessThanOrEqual(page.office_script_brotli_bytes)
  const [[, names, from], ...others] = importsOf(head.officeScript)
  expect([`/assets/${from.slice(2)}`, others]).toEqual([head.officeImport, []])
  const exported = read(head.script)
    .match(/export ?{([^}]*)};?\s*$/)[1]
    .split(',')
    .map((name) => name.split(' as ').at(-1))
  expect(exported).toEqual(expect.arrayContaining(names.split(',').map((name) => name.split(' as ')[0])))
})

it('19.16 the script of the console is at most 150 kB brotli', () => {
  expect(sizeOf(head.consoleScript)).toBeLessThanOrEqual(page.console_script_brotli_bytes)
  expect(page.console_script_brotli_bytes).toBeLessThanOrEqual(150_000)
})
