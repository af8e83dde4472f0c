/** The same day of the next month, or its last day where the month is shorter: 2027-01-31 → 2027-02-28. */
export const renewsOn = (joined: Date): string => {
  const [year, month, day] = [joined.getUTCFullYear(), joined.getUTCMonth(), joined.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 2, 0)).getUTCDate()
  return new Date(Date.UTC(year, month + 1, Math.min(day, lastDay))).toISOString().slice(0, 10)
}
