const icon = (shape) => () => (
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
export const ChevronIcon = icon(<path d="m6 9.2 6 6 6-6" />)
export const ArrowIcon = icon(<path d="M4 12h15.5M13.5 5.8l6.2 6.2-6.2 6.2" />)
