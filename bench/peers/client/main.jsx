import { createRoot } from 'react-dom/client'
import { Header, Side } from '../step/Frame.jsx'
import { Wizard } from '../step/Wizard.jsx'
import '../step/page.css'

createRoot(document.getElementById('root')).render(
  <div className="page">
    <Header />
    <Wizard side={<Side />} />
  </div>,
)
