import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brand, brandCss, darkTheme, theme } from '#contract/brand.ts'
import { contrast, isReadableAccent, nearestReadable, paletteOf } from '#contract/brand-colors.ts'

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

test('25.12 a light dialog on a dark page has the colors of a light page', () => {
  const light = /(?:^|})\s*(?:\/\*[^*]*\*\/\s*)?:root,\s*\[data-theme='?light'?\]\s*{([^}]*)}/
  const names = (css: string) => [...css.matchAll(/--([\w-]+):/g)].map(([, name]) => name)
  const [, tokensOfLight = ''] = light.exec(tokens.replace(/^\/\*.*?\*\/\n/, '')) ?? []
  const [, brandOfLight = ''] = light.exec(brandCss()) ?? []
  const [dark = ''] = tokens.slice(tokens.indexOf("[data-theme='dark'] {")).split('}')
  expect(names(tokensOfLight)).toEqual(expect.arrayContaining(names(dark)))
  expect(names(brandOfLight)).toEqual(expect.arrayContaining(Object.keys(darkTheme)))
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

const accents = ['#0b5d4a', '#000000', '#7a1fa2', '#b3261e', '#004d99', '#5c574d', '#8a4b00']

test.each(accents)('19.69 %s and its companions can be read, light and dark', (accent) => {
  const { light, dark } = paletteOf(accent)
  expect(isReadableAccent(accent)).toBe(true)
  expect(nearestReadable(accent)).toBe(accent)
  const pairs: [string, string][] = [
    [light.accent, '#ffffff'],
    [light['accent-deep'], light['accent-tint']],
    [dark.accent, '#171510'],
    [dark.accent, '#24211b'],
    [dark['accent-deep'], dark['accent-tint']],
  ]
  for (const [one, other] of pairs) expect(contrast(one, other), `${one} ${other}`).toBeGreaterThanOrEqual(4.5)
})

test.each(['#7fd0b0', '#ffffff', '#ffcc00', '#ff0000', '#00ffff', '#8888ff'])(
  '19.69 %s is too light, and the nearest that works is only as dark as it has to be',
  (accent) => {
    expect(isReadableAccent(accent)).toBe(false)
    const nearest = nearestReadable(accent)
    expect(isReadableAccent(nearest)).toBe(true)
    expect(contrast(nearest, '#ffffff')).toBeLessThan(6)
  },
)

test('19.69 the built-in colors stay as they were drawn', () => {
  const { accent, 'accent-deep': deep, 'accent-tint': tint } = theme
  expect(paletteOf(theme.accent)).toEqual({
    light: { accent, 'accent-deep': deep, 'accent-tint': tint },
    dark: darkTheme,
  })
})
