import { icon } from './icons.tsx'

// Icons that the first screen does not need, kept out of the first script.

export const MailIcon = icon(
  <>
    <rect x="2.5" y="5" width="19" height="14" rx="2.5" />
    <path d="m3.5 7 8.5 6.5L20.5 7" />
  </>,
)
export const SmsIcon = icon(
  <path d="M4 4.5h16a1.5 1.5 0 0 1 1.5 1.5v10a1.5 1.5 0 0 1-1.5 1.5h-8.5L6.5 21v-3.5H4A1.5 1.5 0 0 1 2.5 16V6A1.5 1.5 0 0 1 4 4.5z" />,
)
export const WhatsAppIcon = icon(
  <>
    <path d="M3.5 20.5l1.3-4.3a8.5 8.5 0 1 1 3.2 3.1z" />
    <path d="M9 8.3c-.9.7-.8 2 .1 3.5 1 1.7 2.3 2.9 4 3.6 1.2.4 2.2.2 2.7-.8l-2.1-1.3-1 .9c-1.1-.5-1.9-1.3-2.4-2.3l.8-1z" />
  </>,
)
export const CallIcon = icon(
  <path d="M7 3.5 10 4l1 4.5-2.2 1.8a13 13 0 0 0 5 5L15.5 13l4.5 1 .5 3c.1 1.8-1.2 3.5-3 3.5C10 20.5 3.5 14 3.5 6.5c0-1.8 1.7-3.1 3.5-3z" />,
)
export const LinkIcon = icon(
  <path d="M10 14.2a4.2 4.2 0 0 0 6 0l3.6-3.6a4.24 4.24 0 0 0-6-6l-1.6 1.6M14 9.8a4.2 4.2 0 0 0-6 0l-3.6 3.6a4.24 4.24 0 0 0 6 6l1.6-1.6" />,
)
export const CopyIcon = icon(
  <>
    <rect x="8.5" y="8.5" width="12" height="12" rx="2.5" />
    <path d="M15.5 8.5V6A2.5 2.5 0 0 0 13 3.5H6A2.5 2.5 0 0 0 3.5 6v7A2.5 2.5 0 0 0 6 15.5h2.5" />
  </>,
)
export const ShareIcon = icon(
  <path d="M12 15V3.5M7.5 7.5 12 3.2l4.5 4.3M7 11H5.5A1.5 1.5 0 0 0 4 12.5v7A1.5 1.5 0 0 0 5.5 21h13a1.5 1.5 0 0 0 1.5-1.5v-7a1.5 1.5 0 0 0-1.5-1.5H17" />,
)
export const DownloadIcon = icon(<path d="M12 3.5v11.5M7.3 10.5 12 15.2l4.7-4.7M4 19.8h16" />)
export const PrintIcon = icon(
  <path d="M7 8.5V3.5h10v5M7 17H4.5A1.5 1.5 0 0 1 3 15.5V10a1.5 1.5 0 0 1 1.5-1.5h15A1.5 1.5 0 0 1 21 10v5.5a1.5 1.5 0 0 1-1.5 1.5H17M7 13.5h10v7H7z" />,
)
