/** The drills that npm test runs, in their short form. The others are run by hand. */
export const testedDrills = [
  'duplicates',
  'race',
  'kill',
  'search',
  'renewals',
  'abuse',
  'provider',
  'feed',
  'import',
  'commission',
]
