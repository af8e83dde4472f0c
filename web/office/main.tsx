import { hydrateRoot } from 'react-dom/client'
import type { OfficeStart } from '#contract/pages.ts'
import { OfficePage } from './OfficePage.tsx'
import '../style/office.css'

/** Wakes up the page of the office that the server sent. */
const root = document.getElementById('foyer')
const start: OfficeStart | null = JSON.parse(document.getElementById('start')?.textContent ?? 'null')
if (root && start) hydrateRoot(root, <OfficePage start={start} />)
