import type { ReactElement } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { brand, type PageBrand } from '#contract/brand.ts'
import type { Pages } from '#contract/pages.ts'
import type { FallbackStart, StartData } from '#contract/start.ts'
import { ConsoleLoading } from './console/ConsoleLoading.tsx'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { LoadingPage } from './enroll/LoadingPage.tsx'
import { packageStep } from './enroll/steps/packages/PackageStep.tsx'
import { createSteps } from './enroll/steps.ts'
import { createWizard } from './enroll/wizard/wizard.ts'
import { OfficePage } from './office/OfficePage.tsx'
import { AlreadyJoined } from './pages/AlreadyJoined.tsx'
import { Clock } from './pages/Clock.tsx'
import { Docs } from './pages/docs/Docs.tsx'
import { Elsewhere } from './pages/Elsewhere.tsx'
import { Failed } from './pages/Failed.tsx'
import { Footer } from './pages/Footer.tsx'
import { NotFound } from './pages/NotFound.tsx'
import { OneMoment } from './pages/OneMoment.tsx'
import { Outbox } from './pages/Outbox.tsx'
import { TestPaymentsPage } from './pages/TestPayments.tsx'

/** The brand is set before every page, and a page is rendered without a pause. */
function body(page: ReactElement, own: PageBrand = builtIn) {
  Object.assign(brand, { accent: undefined, welcome: undefined }, builtIn, own)
  return `<div id="foyer">${renderToString(page)}</div>`
}
const builtIn = { ...brand }

const enrollPage = (start: StartData) => {
  const steps = createSteps({ PRODUCT_SELECTION: packageStep('product_ids') })
  return <EnrollPage wizard={createWizard({ start, steps })} steps={steps} />
}

const pageOf = (start: StartData | FallbackStart) => {
  if (!('sponsor' in start)) return <LoadingPage start={start} />
  return start.joined_as ? <AlreadyJoined start={start} username={start.joined_as} /> : enrollPage(start)
}

/** Every page as HTML for the body. main.tsx hydrates the first of them, office/main.tsx the second. */
export const pages: Pages = {
  enroll: (start, brand) => body(pageOf(start), brand),
  office: (start, brand) => body(<OfficePage start={start} />, brand),
  console: (brand) => body(<ConsoleLoading />, brand),
  notFound: (brand) => body(<NotFound />, brand),
  elsewhere: (sentence, brand) => body(<Elsewhere sentence={sentence} />, brand),
  failed: (brand) => body(<Failed />, brand),
  oneMoment: (brand) => body(<OneMoment />, brand),
  outbox: (messages, testPages, brand) => body(<Outbox messages={messages} testPages={testPages} />, brand),
  testPayments: (payments, testPages, brand) =>
    body(<TestPaymentsPage payments={payments} testPages={testPages} />, brand),
  clock: (clock, testPages, brand) => body(<Clock clock={clock} testPages={testPages} />, brand),
  docs: (reference, brand) => body(<Docs {...reference} />, brand),
  footer: (operator) => renderToStaticMarkup(<Footer {...operator} />),
}
