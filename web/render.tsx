import type { ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { Pages } from '#contract/pages.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { Waiting } from './enroll/LoadingPage.tsx'
import { OfficePage } from './office/OfficePage.tsx'
import { Docs } from './pages/Docs.tsx'
import { Failed } from './pages/Failed.tsx'
import { NotFound } from './pages/NotFound.tsx'
import { Outbox } from './pages/Outbox.tsx'
import { TestPaymentsPage } from './pages/TestPayments.tsx'

const body = (page: ReactElement) => `<div id="foyer">${renderToString(page)}</div>`

/** Every page as HTML for the body, rendered ahead; main.tsx wakes up the first of them, office/main.tsx the second. */
export const pages: Pages = {
  enroll: (start) => body('sponsor' in start ? <EnrollPage start={start} /> : <Waiting start={start} />),
  office: (start) => body(<OfficePage start={start} />),
  notFound: () => body(<NotFound />),
  failed: () => body(<Failed />),
  outbox: (messages) => body(<Outbox messages={messages} />),
  testPayments: (payments) => body(<TestPaymentsPage payments={payments} />),
  docs: (calls) => body(<Docs calls={calls} />),
}
