import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brand, brandCss } from '#contract/brand.ts'

test('the brand’s colours, radius and fonts are variables of the style sheet, named nowhere else', () => {
  const names = [...brandCss().matchAll(/--([\w-]+):/g)].map(([, name]) => name)
  expect(names).toEqual(['accent', 'accent-deep', 'accent-tint', 'radius', 'font', 'font-head'])
  const [tokens] = readFileSync('web/style/tokens.css', 'utf8').split('}') // a dark dialog may say it anew
  for (const name of names) expect(tokens).not.toMatch(new RegExp(`--${name}:`))
})

test('the mark is a file of ours', () => {
  expect(readFileSync(`web/public${brand.mark}`, 'utf8')).toContain('<svg')
  expect(readFileSync('web/public/favicon.svg', 'utf8')).toContain('<svg')
})
