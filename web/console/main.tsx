import { createRoot } from 'react-dom/client'
import { Console } from './Console.tsx'
import './main.css'

// Everything after the first moment: the server sends only a waiting page, because it does not know who looks at it.
const root = document.getElementById('foyer')
if (root) createRoot(root).render(<Console />)
