import { expect, it } from 'vitest'
import type { StartData } from '#contract/start.ts'
import { cached } from './shell.ts'

const pageOf = (site: string, more: Partial<StartData> = {}) => ({ sponsor: { site }, ...more }) as StartData

it('1.10 a sponsor’s page is rendered once, whatever links other visitors open', () => {
  const rendered: StartData[] = []
  const render = cached((start) => String(rendered.push(start as StartData)))
  const first = render(pageOf('ana'))
  for (let n = 0; n < 250; n++) {
    render(pageOf('master', { unknown_site: `nobody${n}` }))
    render(pageOf('bluepier', { earlier_sponsor: { site: `site${n}`, name: 'Somebody' } }))
    render(pageOf('bluepier', { joined_as: `member${n}` }))
  }
  expect(render(pageOf('ana'))).toBe(first)
  expect(rendered.filter(({ sponsor }) => sponsor.site === 'ana')).toHaveLength(1)
})

it('1.10 the least recently used page leaves the cache first', () => {
  let renders = 0
  const render = cached(() => String(++renders))
  for (let n = 0; n < 200; n++) render(pageOf(`site${n}`))
  render(pageOf('site0'))
  render(pageOf('one more'))
  expect([render(pageOf('site0')), render(pageOf('site1'))]).toEqual(['1', '202'])
})
