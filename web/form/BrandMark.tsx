import type { ReactNode } from 'react'
import { type Brand, brandNames } from '#contract/card.ts'

/** Drawn by us in the brands' colors, so that people recognize their card. */
const marks: Record<Brand, ReactNode> = {
  visa: (
    <>
      <path fill="#fff" d="M0 0h40v26H0z" />
      <text x="20" y="18" fill="#1434cb" fontSize="13" fontStyle="italic" fontWeight="800" textLength="29">
        VISA
      </text>
    </>
  ),
  mastercard: (
    <>
      <path fill="#fff" d="M0 0h40v26H0z" />
      <circle cx="15.500" cy="13" r="8" fill="#eb001b" />
      <circle cx="24.500" cy="13" r="8" fill="#f79e1b" />
      <path fill="#ff5f00" d="M20 6.400a8 8 0 0 1 0 13.200 8 8 0 0 1 0-13.200z" />
    </>
  ),
  amex: (
    <>
      <path fill="#016fd0" d="M0 0h40v26H0z" />
      <text x="20" y="17" fill="#fff" fontSize="10.500" fontWeight="800" textLength="32">
        AMEX
      </text>
    </>
  ),
  discover: (
    <>
      <path fill="#fff" d="M0 0h40v26H0z" />
      <path fill="#f47216" d="M40 12v14H12c15-1 26-6 28-14z" />
      <circle cx="21.500" cy="11.500" r="3" fill="#f47216" />
      <text x="20" y="14" fill="#231f20" fontSize="7" fontWeight="700" textLength="34" xmlSpace="preserve">
        DISC VER
      </text>
    </>
  ),
}

export const BrandMark = ({ brand }: { brand: Brand }) => (
  <svg className="brand-mark" viewBox="0 0 40 26" aria-hidden="true" focusable="false">
    {marks[brand]}
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
