import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Card } from './Card.tsx'
import type { PaymentForm } from './form.ts'
import type { PaymentNews } from './outcome.ts'

const form: PaymentForm = { field: (name) => ({ name, defaultValue: '', error: undefined }) }
const marked = (news: PaymentNews | undefined) =>
  [...renderToStaticMarkup(<Card form={form} news={news} />).matchAll(/<(?:input|select)[^>]*aria-invalid[^>]*>/g)].map(
    ([tag]) => /name="(\w+)"/.exec(tag)?.[1],
  )

test.each<[string, PaymentNews | undefined, string[]]>([
  ['nothing', undefined, []],
  ['a declined card', { kind: 'declined', decline_class: 'card' }, ['cc_number']],
  ['a bank’s no', { kind: 'declined', decline_class: 'bank' }, ['cc_number']],
  [
    'a decline of what was typed',
    { kind: 'declined', decline_class: 'input' },
    ['cc_number', 'cc_month', 'cc_year', 'cc_cvv'],
  ],
  ['a payment that did not go through', { kind: 'released' }, []],
])('10.2 after %s the marked fields are right', (_, news, names) => expect(marked(news)).toEqual(names))
