import type { ReactNode } from 'react'

/** Icons take the color and size of the text. They always have a visible or hidden label. */
export const icon = (shape: ReactNode) => () => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {shape}
  </svg>
)

export const AccountIcon = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20.5c.6-4.2 3.6-6.5 7.5-6.5s6.9 2.3 7.5 6.5" />
  </>,
)
export const BillingIcon = icon(
  <>
    <rect x="2.5" y="5" width="19" height="14" rx="2.5" />
    <path d="M2.5 9.8h19M6.5 15h4" />
  </>,
)
export const LockIcon = icon(
  <>
    <rect x="4.5" y="10.5" width="15" height="10" rx="2.5" />
    <path d="M8 10.5V7.5a4 4 0 0 1 8 0v3" />
  </>,
)
export const AlertIcon = icon(
  <>
    <circle cx="12" cy="12" r="9.5" />
    <path d="M12 7v6M12 16.6v.2" />
  </>,
)
export const InfoIcon = icon(
  <>
    <circle cx="12" cy="12" r="9.5" />
    <path d="M12 11.4V17M12 7.4v.2" />
  </>,
)
export const CheckIcon = icon(<path d="m5 12.8 4.6 4.7L19.2 7" />)
export const BoxIcon = icon(<path d="M12 3.5 4 7.8v8.4l8 4.3 8-4.3V7.8zM4 7.8l8 4.3 8-4.3M12 12.1v8.4" />)
export const DotIcon = icon(<circle cx="12" cy="12" r="3" />)
export const ChevronIcon = icon(<path d="m6 9.2 6 6 6-6" />)
export const ArrowIcon = icon(<path d="M4 12h15.5M13.5 5.8l6.2 6.2-6.2 6.2" />)
