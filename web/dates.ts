const format = (day: string, style: Intl.DateTimeFormatOptions) =>
  new Date(day).toLocaleDateString('en-US', { ...style, timeZone: 'UTC' })

/** '2026-11-15', also with a time → 'November 15, 2026' */
export const longDay = (day: string): string => format(day, { dateStyle: 'long' })

/** '2026-11-15', also with a time → 'Nov 15, 2026' */
export const plainDay = (day: string): string => format(day, { dateStyle: 'medium' })

/** '2026-11-15' → 'Nov 15' */
export const shortDay = (day: string): string => format(day, { month: 'short', day: 'numeric' })

/** '2030-07' → 'July 2030' */
export const monthAndYear = (month: string): string => format(`${month}-01`, { month: 'long', year: 'numeric' })
