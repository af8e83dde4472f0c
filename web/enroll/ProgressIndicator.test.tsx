import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Step } from '#contract/start.ts'
import { AccountIcon, BillingIcon } from '#web/icons.tsx'
import { ProgressIndicator } from './ProgressIndicator.tsx'

const labels = ['About Yourself', 'Account Creation', 'Billing &amp; Checkout']
const icons = [AccountIcon, AccountIcon, BillingIcon].map((Icon) => renderToStaticMarkup(<Icon />))

// From the spec: how each of the three labels looks on each step.
const looks: [Step, string, string, string][] = [
  ['PRODUCT_SELECTION', 'plain', 'plain', 'plain'],
  ['AUTOSHIP', 'plain', 'plain', 'plain'],
  ['SPECIAL', 'plain', 'plain', 'plain'],
  ['ACCOUNT', 'active bold', 'plain', 'plain'],
  ['CODE_VERIFICATION', 'active', 'plain', 'plain'],
  ['ACCOUNT_CREATION', 'active', 'active bold', 'plain'],
  ['PAYMENT', 'active', 'active', 'active bold'],
  ['ACCESS', 'plain', 'plain', 'plain'],
]

describe('25.1 the indicator', () => {
  test.each(looks)('on %s: %s, %s, %s', (step, ...expected) => {
    const html = renderToStaticMarkup(
      <ProgressIndicator currentStep={step} show_autoship={false} show_special={false} />,
    )
    const entries = html.split('<li').slice(1)
    expect(entries).toHaveLength(3)
    const states = entries.map((entry) => {
      const words = [entry.startsWith(' class="active"') && 'active', entry.includes('<b>') && 'bold'].filter(Boolean)
      return words.join(' ') || 'plain'
    })
    expect(states).toEqual(expected)
    const active = states.filter((words) => words !== 'plain').length
    expect(html.includes(`Step ${active} of 3`)).toBe(active > 0)
    for (const [index, entry] of entries.entries()) {
      expect(entry).toContain(labels[index])
      expect(entry).toContain(icons[index])
    }
  })

  test.each(looks)('show_autoship and show_special change nothing on %s', (step) => {
    const render = (on: boolean) =>
      renderToStaticMarkup(<ProgressIndicator currentStep={step} show_autoship={on} show_special={on} />)
    expect(render(true)).toBe(render(false))
  })
})
