/** The drills that npm test runs, in their short form; the others are run by hand. */
export const testedDrills = ['duplicates', 'race', 'kill', 'search', 'abuse']
