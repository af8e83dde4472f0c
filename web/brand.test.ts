import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brand, brandCss } from '#contract/brand.ts'

const tokens = readFileSync('web/style/tokens.css', 'utf8')

test('the brand’s colors, radius and fonts are set in one place', () => {
  const names = new Set([...brandCss().matchAll(/--([\w-]+):/g)].map(([, name]) => name))
  expect([...names]).toEqual(
    ['accent', 'accent-deep', 'accent-tint', 'radius', 'font', 'font-head'].concat('brand', 'brand-deep'),
  )
  for (const name of names) expect(tokens).not.toMatch(new RegExp(`--${name}:`))
})

test('a dark dialog and a dark page have the same colors', () => {
  const declarations = (start: string) => {
    const [block = ''] = tokens.slice(tokens.indexOf(start)).split('}')
    return [...block.matchAll(/--(?!paper|shadow)[\w-]+: .*;/g)].map(([line]) => line)
  }
  expect(declarations("[data-theme='dark'] {")).toEqual(declarations('@media (prefers-color-scheme: dark) {'))
  expect(declarations("[data-theme='dark'] {").length).toBeGreaterThan(5)
})

test('a dark email has the colors of a dark page', () => {
  const [, style = ''] = readFileSync('server/emails/layout.ts', 'utf8').split('const darkStyle')
  const colors = style.slice(0, style.indexOf('}`')).match(/#[0-9a-f]{6}/g) ?? []
  expect(colors.filter((color) => color !== '#ffffff' && !tokens.includes(color))).toEqual([])
  expect(colors.length).toBeGreaterThan(3)
})

test('the mark and the icon are SVG files of our own', () => {
  expect(readFileSync(`web/public${brand.mark}`, 'utf8')).toContain('<svg')
  expect(readFileSync('web/public/favicon.svg', 'utf8')).toContain('<svg')
})
