// The first script of the page imports this file, so it must not import the validation rules.

/** The base path of all calls. */
export const API = '/api'

/** Every sponsor's page calls it once it is visible. */
export const pageHits = { method: 'GET', path: '/replicated-sites/page-hits/:sponsor_site' } as const
