import { hydrateRoot } from 'react-dom/client'
import type { StartData } from '#contract/start.ts'
import { api } from './api.ts'
import { EnrollPage } from './enroll/EnrollPage.tsx'
import { findPlace } from './enroll/wizard.ts'
import { log } from './log.ts'
import './style/index.css'

const root = document.getElementById('foyer')
const start: StartData | undefined = JSON.parse(document.getElementById('start')?.textContent ?? 'null')

if (root && start) {
  const place = await findPlace(start)
  hydrateRoot(root, <EnrollPage start={start} place={place} />)
  api.hitPage({ sponsor_site: start.sponsor.site }).catch((cause: unknown) => log('The visit was not counted.', cause))
}
