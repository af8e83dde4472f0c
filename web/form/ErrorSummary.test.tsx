import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ErrorSummary } from './ErrorSummary.tsx'

const entry = (name: string, open = 1) => ({ name, message: `Please enter ${name}.`, open })

test('11.7 the summary counts the marked answers, even if they share a message', () => {
  const html = renderToStaticMarkup(
    <ErrorSummary entries={[entry('a'), entry('b'), entry('c'), entry('d', 0), entry('agreements', 2)]} />,
  )
  expect(html).toContain('Please check 5 answers.')
  expect(html).toContain('2 more below')
})
