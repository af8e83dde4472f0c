import { hydrateRoot } from 'react-dom/client'
import type { OfficeStart } from '#contract/pages.ts'
import { loadDialCodes } from '#web/form/PhoneField.tsx'
import { OfficePage } from './OfficePage.tsx'
import './main.css'

// Hydrates the office page that the server rendered.
const root = document.getElementById('foyer')
const start: OfficeStart | null = JSON.parse(document.getElementById('start')?.textContent ?? 'null')
if (root && start) hydrateRoot(root, <OfficePage start={start} />)
loadDialCodes()
