// What the page knows of the server before the rules are here: this file brings nothing along.

/** All calls live under this path. */
export const API = '/api'

/** Called by every page once somebody sees it. */
export const pageHits = { method: 'GET', path: '/replicated-sites/page-hits/:sponsor_site' } as const
