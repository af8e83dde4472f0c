import type { Operator } from '#contract/receipts.ts'
import type { SiteBrand } from '#server/brand/brand.ts'
import { button, composeEmail, heading, linkBox, mainHeading, paragraph, receipt, smallPrint } from './layout.ts'

/** An email as members get it, with made-up figures: for staff who choose a brand. */
export const previewEmail = (brand: SiteBrand, operator: Operator, site: string): string =>
  composeEmail(
    {
      to: 'zoe@example.com',
      subject: `Welcome to ${brand.page.name}`,
      preview: '',
      from: site,
      operator,
      blocks: [
        mainHeading(`Welcome to ${brand.page.name}`),
        paragraph('Hello Zoë,'),
        paragraph(`You joined with Ana Silva today. ${brand.page.welcome ?? 'We’re glad you’re here.'}`),
        button('Open your office', `${site}/office`),
        heading('Your link'),
        linkBox(`${site}/zoe`),
        heading('Your receipt'),
        receipt([['Founding Membership', '$99.00 a month']], '$99.00', [['Reference', 'A1B2-C3D4']]),
        smallPrint('This is an example.'),
      ],
    },
    brand,
  ).html
