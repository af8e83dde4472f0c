import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { Dialog } from './Dialog.tsx'
import type { Question } from './question.ts'

const show = (question: Partial<Question>) =>
  renderToStaticMarkup(<Dialog question={{ title: 'Title', ...question }} onAnswer={() => {}} />)
const buttons = (html: string) =>
  [...html.matchAll(/<button[^>]*>(.*?)<\/button>/g)].map(([, inner]) => inner?.replace(/<[^>]*>/g, ''))

describe('a dialog', () => {
  test('25.12 has the labels OK, No and Cancel by default', () => {
    expect(buttons(show({ mayDismiss: false, deny: true, cancel: true }))).toEqual(['Cancel', 'No', 'OK'])
    expect(buttons(show({ mayDismiss: false, confirm: 'Proceed', deny: 'Never', cancel: 'Later' }))).toEqual([
      'Later',
      'Never',
      'Proceed',
    ])
    expect(buttons(show({ mayDismiss: false }))).toEqual(['OK'])
  })

  test('25.12 looks like the page by default, and its close button is labeled', () => {
    expect(show({})).not.toContain('data-theme')
    expect(show({ theme: 'light' })).toContain('data-theme="light"')
    expect(show({ theme: 'dark' })).toContain('data-theme="dark"')
    expect(show({})).toContain('aria-label="Close this dialog"')
    expect(show({ mayDismiss: false })).not.toContain('Close this dialog')
  })

  test('17.43 a button that removes something does not have the primary color', () => {
    const last = (question: Partial<Question>) => /<button type="submit" class="([^"]*)"/.exec(show(question))?.[1]
    expect([last({}), last({ isDestructive: true })]).toEqual(['button', 'button danger'])
  })

  test.each<[Question['icon'], boolean]>([
    ['error', true],
    ['warning', false],
    ['info', false],
    ['success', false],
    [undefined, false],
  ])('with the icon %s is an alert: %s', (icon, alert) =>
    expect(show(icon ? { icon } : {}).includes('role="alertdialog"')).toBe(alert),
  )

  test('shows markup as plain text', () => {
    const html = show({ title: '<img src=x onerror=alert(1)>', text: '<b>Ana</b> & "Bo"', confirm: '<i>OK</i>' })
    expect(html).not.toMatch(/<img|<b>|<i>/)
    expect(html).toContain('&lt;b&gt;Ana&lt;/b&gt; &amp; &quot;Bo&quot;')
  })

  test('is named by its title and described by its text', () => {
    const html = show({ text: 'Text' })
    const id = (name: string) => new RegExp(`aria-${name}="([^"]+)"`).exec(html)?.[1]
    expect(html).toContain(`<h2 id="${id('labelledby')}"`)
    expect(html).toContain(`id="${id('describedby')}">Text</p>`)
    expect(show({})).not.toContain('aria-describedby')
  })
})
