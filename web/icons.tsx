import type { ReactNode } from 'react'

const icon = (shape: ReactNode) => () => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {shape}
  </svg>
)

/** One family: drawn in the colour of the text, with the text's own size. Never alone: words stand beside or behind. */
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
export const BoxIcon = icon(
  <path d="M12 3.500 4 7.800v8.400l8 4.300 8-4.300V7.800zM4 7.800l8 4.300 8-4.300M12 12.100v8.400" />,
)
export const DotIcon = icon(<circle cx="12" cy="12" r="3" />)
export const ChevronIcon = icon(<path d="m6 9.2 6 6 6-6" />)
export const ArrowIcon = icon(<path d="M4 12h15.5M13.5 5.8l6.2 6.2-6.2 6.2" />)
export const MailIcon = icon(
  <>
    <rect x="2.5" y="5" width="19" height="14" rx="2.5" />
    <path d="m3.5 7 8.5 6.5L20.5 7" />
  </>,
)
export const SmsIcon = icon(
  <path d="M4 4.5h16a1.5 1.5 0 0 1 1.5 1.5v10a1.5 1.5 0 0 1-1.5 1.5h-8.5L6.5 21v-3.500H4A1.500 1.500 0 0 1 2.500 16V6A1.500 1.500 0 0 1 4 4.500z" />,
)
export const CallIcon = icon(
  <path d="M7 3.500 10 4l1 4.500-2.200 1.800a13 13 0 0 0 5 5L15.500 13l4.500 1 .5 3c.1 1.800-1.200 3.500-3 3.500C10 20.500 3.500 14 3.500 6.500c0-1.800 1.700-3.100 3.500-3z" />,
)
export const LinkIcon = icon(
  <path d="M10 14.200a4.200 4.200 0 0 0 6 0l3.600-3.600a4.240 4.240 0 0 0-6-6l-1.600 1.600M14 9.800a4.200 4.200 0 0 0-6 0l-3.600 3.600a4.240 4.240 0 0 0 6 6l1.600-1.600" />,
)
export const CopyIcon = icon(
  <>
    <rect x="8.500" y="8.500" width="12" height="12" rx="2.500" />
    <path d="M15.500 8.500V6A2.500 2.500 0 0 0 13 3.500H6A2.500 2.500 0 0 0 3.500 6v7A2.500 2.500 0 0 0 6 15.500h2.500" />
  </>,
)
export const ShareIcon = icon(
  <path d="M12 15V3.500M7.500 7.500 12 3.200l4.500 4.300M7 11H5.500A1.500 1.500 0 0 0 4 12.500v7A1.500 1.500 0 0 0 5.500 21h13a1.500 1.500 0 0 0 1.500-1.500v-7a1.500 1.500 0 0 0-1.500-1.500H17" />,
)
export const DownloadIcon = icon(<path d="M12 3.500v11.500M7.300 10.500 12 15.200l4.700-4.700M4 19.800h16" />)
export const PrintIcon = icon(
  <path d="M7 8.500V3.500h10v5M7 17H4.500A1.500 1.500 0 0 1 3 15.500V10a1.500 1.500 0 0 1 1.500-1.500h15A1.500 1.500 0 0 1 21 10v5.500a1.500 1.500 0 0 1-1.500 1.500H17M7 13.500h10v7H7z" />,
)
