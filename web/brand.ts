/** The operator's brand: name and logo here; accent, radius and fonts at the top of style/tokens.css. */
export const brand = {
  name: 'Foyer',
  mark: '/assets/mark.svg',
} as const
