import type { ReactElement } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import type { Pages } from '#contract/pages.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { ConsoleLoading } from './console/ConsoleLoading.tsx'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { LoadingPage } from './enroll/LoadingPage.tsx'
import { createSteps } from './enroll/steps.ts'
import { createWizard } from './enroll/wizard/wizard.ts'
import { OfficePage } from './office/OfficePage.tsx'
import { AlreadyJoined } from './pages/AlreadyJoined.tsx'
import { Clock } from './pages/Clock.tsx'
import { Docs } from './pages/docs/Docs.tsx'
import { Failed } from './pages/Failed.tsx'
import { Footer } from './pages/Footer.tsx'
import { NotFound } from './pages/NotFound.tsx'
import { Outbox } from './pages/Outbox.tsx'
import { TestPaymentsPage } from './pages/TestPayments.tsx'

const body = (page: ReactElement) => `<div id="foyer">${renderToString(page)}</div>`

const enrollPage = (start: StartData) => {
  const steps = createSteps()
  return <EnrollPage wizard={createWizard({ start, steps })} steps={steps} />
}

const pageOf = (start: StartData | FallbackStart) => {
  if (!('sponsor' in start)) return <LoadingPage start={start} />
  return start.joined_as ? <AlreadyJoined start={start} username={start.joined_as} /> : enrollPage(start)
}

/** Every page as HTML for the body. main.tsx hydrates the first of them, office/main.tsx the second. */
export const pages: Pages = {
  enroll: (start) => body(pageOf(start)),
  office: (start) => body(<OfficePage start={start} />),
  console: () => body(<ConsoleLoading />),
  notFound: () => body(<NotFound />),
  failed: () => body(<Failed />),
  outbox: (messages, testPages) => body(<Outbox messages={messages} testPages={testPages} />),
  testPayments: (payments, testPages) => body(<TestPaymentsPage payments={payments} testPages={testPages} />),
  clock: (clock, testPages) => body(<Clock clock={clock} testPages={testPages} />),
  docs: (reference) => body(<Docs {...reference} />),
  footer: (operator) => renderToStaticMarkup(<Footer {...operator} />),
}
