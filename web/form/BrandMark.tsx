import type { ReactNode } from 'react'
import { type Brand, brandNames } from '#contract/card.ts'

/** Our own drawings, because the brands' logos are not free to use. */
const marks: Record<Brand, { short: string; shape: ReactNode }> = {
  visa: { short: 'Visa', shape: <path d="M0 0h40v5H0zM0 21h40v5H0z" /> },
  mastercard: { short: 'MC', shape: <path d="M0 0h9v26H0zM31 0h9v26h-9z" /> },
  amex: { short: 'Amex', shape: <path d="M0 0h13L0 13zM40 26H27l13-13z" /> },
  discover: { short: 'Disc', shape: <path d="M40 10v16H14c14 0 25-6 26-16z" /> },
}

export const BrandMark = ({ brand }: { brand: Brand }) => (
  <svg className={`brand-mark ${brand}`} viewBox="0 0 40 26" aria-hidden="true" focusable="false">
    <g className="brand-shape">{marks[brand].shape}</g>
    <text x="20" y="17" textAnchor="middle">
      {marks[brand].short}
    </text>
  </svg>
)

/** All four brands. Once the number's brand is known, the others fade. */
export const BrandMarks = ({ chosen }: { chosen: Brand | undefined }) => (
  <div className="brand-marks" aria-hidden="true">
    {brandNames.map((brand) => (
      <span key={brand} className={chosen && chosen !== brand ? 'other' : undefined}>
        <BrandMark brand={brand} />
      </span>
    ))}
  </div>
)
