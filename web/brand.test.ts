import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brand, brandCss } from '#contract/brand.ts'

test('the brand’s colors, radius and fonts are set in one place', () => {
  const names = [...brandCss().matchAll(/--([\w-]+):/g)].map(([, name]) => name)
  expect(names).toEqual(['accent', 'accent-deep', 'accent-tint', 'radius', 'font', 'font-head'])
  const [tokens] = readFileSync('web/style/tokens.css', 'utf8').split('}') // the dark theme of dialogs may override them
  for (const name of names) expect(tokens).not.toMatch(new RegExp(`--${name}:`))
})

test('the mark and the icon are SVG files of our own', () => {
  expect(readFileSync(`web/public${brand.mark}`, 'utf8')).toContain('<svg')
  expect(readFileSync('web/public/favicon.svg', 'utf8')).toContain('<svg')
})
